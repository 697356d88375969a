//! A reverse proxy that checks the cited answers of LLM APIs while they stream.

#[allow(dead_code, reason = "to be used")]
mod litellm;
