//! LiteLLM's generic guardrail: its proxy asks this endpoint about requests and about what the model answers.
//!
//! A call comes in several rounds. Before the model is asked, LiteLLM sends the messages, in which the sources are; they are
//! remembered under the call's id. As the answer streams, LiteLLM sends, again and again, *all of its text so far*, and
//! wants back the text as it is to be shown and how many characters at its end must not be shown yet. That is what a
//! sieve says: what is decided, and what is held. At the end nothing is withheld, whatever the reply says; so the text in
//! a reply is always the one of an answer that ends there.
//!
//! - `protocol.rs`: what is asked and answered, as JSON.
//! - `calls.rs`: the sources of calls under way, for a bounded time.
//! - `guardrail.rs`: the answers.
//! - `endpoint.rs`: the HTTP around them.

mod calls;
mod endpoint;
mod guardrail;
mod protocol;

pub(crate) use endpoint::serve;
pub(crate) use guardrail::Guardrail;

/// The path that LiteLLM puts behind the address in its configuration.
pub(crate) const PATH: &str = "/beta/litellm_basic_guardrail_api";
