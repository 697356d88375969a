//! One reader for the request bodies of all APIs: who says what, in order, and what stands there beside text.

use super::json::Json;

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The instructions: `system`, `developer`, `instructions`, `preamble`.
    System,
    /// The user.
    User,
    /// A tool's result.
    Tool,
    /// The model, or a role that is not known. What it says is never read: a model could forge sources.
    Assistant,
}

/// What one says.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) text: String,
}

/// A request body, read.
#[derive(Debug, Default)]
pub(crate) struct Request<'a> {
    pub(crate) messages: Vec<Message>,
    /// Parts of a content that are documents: Anthropic's `document` and `search_result`, Cohere's `document`. Of the
    /// whole conversation, in order.
    pub(crate) blocks: Vec<Json<'a>>,
    /// The field `documents` of the body.
    pub(crate) documents: Option<Json<'a>>,
    /// The body has Cohere's field `message` (v1).
    pub(crate) cohere_v1: bool,
}

/// The texts of a request by when they were said.
#[derive(Debug, Default)]
pub(crate) struct Turns<'r> {
    /// The instructions, which hold at any time.
    pub(crate) system: Vec<&'r str>,
    /// What users and tools said, from one question of the user to the next.
    pub(crate) turns: Vec<Vec<&'r str>>,
}

impl<'a> Request<'a> {
    /// Reads a body. What is of no known shape is passed over.
    pub(crate) fn read(body: Json<'a>) -> Self {
        let mut request = Request::default();
        let names = [
            "system",
            "instructions",
            "preamble",
            "systemInstruction",
            "system_instruction",
            "chat_history",
            "messages",
            "contents",
            "input",
            "prompt",
            "message",
            "tool_results",
            "documents",
        ];
        let [
            system,
            instructions,
            preamble,
            gemini,
            gemini_snake,
            history,
            messages,
            contents,
            input,
            prompt,
            message,
            tool_results,
            documents,
        ] = body.fields(names);
        for json in [system, instructions, preamble].into_iter().flatten() {
            request.content(Role::System, json);
        }
        for json in [gemini, gemini_snake].into_iter().flatten() {
            request.content(Role::System, json.field("parts").unwrap_or(json));
        }
        for json in [history, messages, contents].into_iter().flatten() {
            json.each(|item| request.item(item));
        }
        for json in [input, prompt].into_iter().flatten() {
            if json.is_array() {
                json.each(|item| if item.is_object() { request.item(item) } else { request.content(Role::User, item) });
            } else {
                request.content(Role::User, json);
            }
        }
        if let Some(json) = message {
            request.cohere_v1 = true;
            request.content(Role::User, json);
        }
        if let Some(json) = tool_results {
            json.each_text(|text| request.say(Role::Tool, text));
        }
        request.documents = documents;
        request
    }

    fn say(&mut self, role: Role, text: String) {
        self.messages.push(Message { role, text });
    }

    /// A message of a list.
    fn item(&mut self, item: Json<'a>) {
        let [kind, role, content, parts, message, output] =
            item.fields(["type", "role", "content", "parts", "message", "output"]);
        let kind = kind.and_then(Json::text).unwrap_or_default();
        if kind.ends_with("_output") || kind == "mcp_call" {
            if let Some(output) = output {
                self.content(Role::Tool, output);
            }
            return;
        }
        let role = match role {
            Some(role) => role_of(&role.text().unwrap_or_default()),
            // Gemini's only user; an item of the Responses API that is no message has neither content.
            None if kind.is_empty() || kind == "message" => Role::User,
            None => return,
        };
        match content.or(parts).or(message) {
            Some(content) => self.content(role, content),
            None => self.say(role, String::new()),
        }
    }

    /// A content: a string, or a list of parts.
    fn content(&mut self, role: Role, json: Json<'a>) {
        if role == Role::Assistant {
            return self.say(role, String::new());
        }
        let mut said = Said { role, text: String::new() };
        said.add(json, self, true);
        // Also without a text: that somebody spoke divides the turns.
        let Said { role, text } = said;
        self.say(role, text);
    }

    /// The texts by when they were said.
    pub(crate) fn turns(&self) -> Turns<'_> {
        let mut turns = Turns { system: Vec::new(), turns: vec![Vec::new()] };
        let mut answered = false;
        for Message { role, text } in &self.messages {
            match role {
                Role::System => turns.system.push(text),
                Role::Assistant => answered = true,
                Role::User | Role::Tool => {
                    // A question is new if the model has answered since. What comes right behind a tool's result is not:
                    // some put reminders or images there.
                    if *role == Role::User && answered {
                        turns.turns.push(Vec::new());
                    }
                    answered = false;
                    if let Some(turn) = turns.turns.last_mut() {
                        turn.push(text);
                    }
                }
            }
        }
        turns
    }
}

/// One message while its parts are read.
struct Said {
    role: Role,
    text: String,
}

impl Said {
    fn push(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn add<'a>(&mut self, json: Json<'a>, request: &mut Request<'a>, outer: bool) {
        if let Some(text) = json.text() {
            self.push(&text);
        } else if json.is_object() {
            self.part(json, request, outer);
        } else {
            json.each(|part| match part.text() {
                Some(text) => self.push(&text),
                None => self.part(part, request, outer),
            });
        }
    }

    fn part<'a>(&mut self, part: Json<'a>, request: &mut Request<'a>, outer: bool) {
        let [kind, text, content, camel, snake] =
            part.fields(["type", "text", "content", "functionResponse", "function_response"]);
        match kind.and_then(Json::text).as_deref() {
            Some("tool_result") if outer => {
                // A message with results is a round of tools, whatever else its author puts in.
                self.role = Role::Tool;
                if let Some(content) = content {
                    self.add(content, request, false);
                }
            }
            Some("document" | "search_result") => request.blocks.push(part),
            None | Some("text" | "input_text" | "output_text") => {
                if let Some(text) = text.and_then(Json::text) {
                    self.push(&text);
                }
                if let Some(called) = camel.or(snake) {
                    self.role = Role::Tool;
                    called.field("response").unwrap_or(called).each_text(|text| self.push(&text));
                }
            }
            Some(_) => {}
        }
    }
}

fn role_of(name: &str) -> Role {
    match name.to_ascii_lowercase().as_str() {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "tool" | "function" | "ipython" => Role::Tool,
        _ => Role::Assistant,
    }
}
