//! The sources in a request: cases per convention, the field, and bad input.

use std::collections::HashSet;
use std::path::PathBuf;

use citesieve::{MarkerSyntax, Policy, Source, Sources};
use citesieve_wire::request::{self, FieldError};
use citesieve_wire::{Config, testing::Recording};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    body: Value,
    convention: Option<String>,
    sources: Option<Vec<Expected>>,
    #[serde(default)]
    streaming: Option<bool>,
    #[serde(default)]
    policy: Option<Value>,
    #[serde(default)]
    syntaxes: Vec<MarkerSyntax>,
    /// Only the ids of the sources are told.
    #[serde(default)]
    ids_only: bool,
    #[serde(default)]
    #[expect(dead_code, reason = "for those who read the cases")]
    note: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    id: String,
    text: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    url: Option<String>,
}

impl Expected {
    fn is(&self, source: &Source, ids_only: bool) -> bool {
        let told = |expected: &Option<String>, found: &Option<String>| expected.is_none() || expected == found;
        source.id == self.id
            && (ids_only || source.text == self.text)
            && told(&self.title, &source.title)
            && told(&self.url, &source.url)
    }
}

fn cases() -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/requests.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn every_case() {
    let mut wrong = Vec::new();
    for case in cases() {
        let compact = serde_json::to_vec(&case.body).unwrap();
        let pretty = serde_json::to_vec_pretty(&case.body).unwrap();
        for body in [compact, pretty] {
            let found = request::find(&body).unwrap_or_else(|error| panic!("{}: {error}", case.id));
            let same = match (&found.sources, &case.sources) {
                (None, None) => true,
                (Some(found), Some(expected)) => {
                    found.len() == expected.len()
                        && found.iter().zip(expected).all(|(found, expected)| expected.is(found, case.ids_only))
                }
                _ => false,
            };
            let streaming = case.body.get("stream").and_then(Value::as_bool);
            assert_eq!(found.streaming, case.streaming.or(streaming), "{}", case.id);
            assert_eq!(found.policy, case.policy, "{}", case.id);
            assert_eq!(found.body.is_some(), case.body.get("citesieve").is_some(), "{}", case.id);
            if !case.syntaxes.is_empty() {
                assert_eq!(found.syntaxes, case.syntaxes, "{}", case.id);
            }
            if let Some(sources) = &found.sources {
                Sources::new(sources.clone()).unwrap();
            }
            if !same || found.convention != case.convention.as_deref() {
                wrong.push(format!("{}\n  {:?}\n  {:?}", case.id, found.convention, found.sources));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whatever the list has, the cases have, and the documentation.
#[test]
fn every_convention_has_cases_and_a_row() {
    let seen: HashSet<String> = cases().into_iter().filter_map(|case| case.convention).collect();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/sources-in-requests.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    for name in request::conventions() {
        assert!(seen.contains(name), "{name} has no case");
        assert!(docs.contains(&format!("| `{name}` |")), "{name} is not documented");
    }
}

/// The same whatever is before it and behind it, where it stands once and where it stands often.
#[test]
fn the_field_goes_and_nothing_else() {
    for (body, expected) in [
        (r#"{"citesieve":{}}"#, "{}"),
        (r#" { "citesieve" : { } } "#, " { } "),
        (r#"{"citesieve":{},"a":1}"#, r#"{"a":1}"#),
        (r#"{ "citesieve": {} , "a": 1 }"#, r#"{ "a": 1 }"#),
        (r#"{"a":1,"citesieve":{}}"#, r#"{"a":1}"#),
        (
            "{\n  \"a\": 1e2,\n  \"citesieve\": {},\n  \"b\": \"\\u00e9\\/\"\n}\n",
            "{\n  \"a\": 1e2,\n  \"b\": \"\\u00e9\\/\"\n}\n",
        ),
        (r#"{"citesieve":1,"citesieve":{}}"#, "{}"),
        (r#"{"citesieve":1,"a":1,"citesieve":2,"citesieve":{},"b":2,"citesieve":{} }"#, r#"{"a":1,"b":2 }"#),
        ("{\"cite\\u0073ieve\":{},\"a\":\"citesieve\"}", r#"{"a":"citesieve"}"#),
        ("\u{feff}{\"a\":1,\"citesieve\":null}", "\u{feff}{\"a\":1}"),
        (r#"{"a":1,"a":2,"citesieve":{},"a":3}"#, r#"{"a":1,"a":2,"a":3}"#),
    ] {
        let found = request::find(body.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(found.body.unwrap()).unwrap(), expected, "{body}");
    }
}

#[test]
fn a_body_without_the_field_is_not_rewritten() {
    for body in [
        "",
        "x",
        "[]",
        "[{\"citesieve\":{}}]",
        "\"citesieve\"",
        "{\"citesieve\":{}",
        "{\"citesieve\":{}} x",
        "{\"citesieve\" {}}",
        "{\"a\":{\"citesieve\":{}}}",
        "{\"a\":\"citesieve\"}",
    ] {
        assert_eq!(request::find(body.as_bytes()).unwrap().body, None, "{body}");
    }
    assert_eq!(request::find(b"\xff\xfe{").unwrap(), request::Found::default());
}

#[test]
fn what_is_wrong_with_the_field_is_said() {
    let refusal = |body: &str| request::find(body.as_bytes()).unwrap_err().to_string();
    for (body, says) in [
        (r#"{"citesieve":7}"#, "citesieve: expected an object {sources, policy}, found a number (byte 13 of the body)"),
        (r#"{"citesieve":{"source":[]}}"#, "citesieve: unknown key \"source\", expected `sources` or `policy`"),
        (
            r#"{"citesieve":{"sources":"1"}}"#,
            "citesieve.sources: expected an array of {id, title?, url?, text?, format?} or an object {id: text}, found a string (byte 24 of the body)",
        ),
        (
            r#"{"citesieve":{"sources":[{"id":1},{"id":2,"titel":"x"}]}}"#,
            "citesieve.sources[1]: expected a source {id, title?, url?, text?, format?}, found unknown field `titel`, expected one of `id`, `title`, `url`, `text`, `format` (byte 48 of the body)",
        ),
        (
            r#"{"citesieve":{"sources":[{"title":"x"}]}}"#,
            "citesieve.sources[0]: expected a source {id, title?, url?, text?, format?}, found missing field `id` (byte 37 of the body)",
        ),
        (
            r#"{"citesieve":{"sources":[["a"]]}}"#,
            "citesieve.sources[0]: expected a source {id, title?, url?, text?, format?}, found an array (byte 25 of the body)",
        ),
        (r#"{"citesieve":{"sources":[{"id":""}]}}"#, "citesieve.sources: source 0: its id is empty"),
        (
            r#"{"citesieve":{"sources":[{"id":"1","title":"a"},{"id":"1","title":"b"}]}}"#,
            "citesieve.sources: source 1: id \"1\" stands twice with different titles: \"a\" and \"b\"",
        ),
        (
            r#"{"citesieve":{"policy":"strict"}}"#,
            "citesieve.policy: expected an object with fields of the policy, found a string (byte 23 of the body)",
        ),
    ] {
        assert_eq!(refusal(body), says, "{body}");
    }
    for body in [r#"{"citesieve":{"sources":{"1":7}}}"#, r#"{"citesieve":{"sources":[{"id":1.5}]}}"#] {
        assert!(matches!(request::find(body.as_bytes()), Err(FieldError::Form { .. })), "{body}");
    }
    let many =
        format!(r#"{{"citesieve":{{"sources":[{}]}}}}"#, vec![r#"{"id":1}"#; request::MAX_SOURCES + 1].join(","));
    assert!(refusal(&many).starts_with("citesieve.sources: 100001 sources, at most 100000"));
}

#[test]
fn depth_and_size_do_no_harm() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(200_000), close.repeat(200_000));
    let text = |text: &str| json!({"messages": [{"role": "user", "content": text}]}).to_string();
    let big = 1 << 20;
    let bodies = [
        format!(r#"{{"a":{},"citesieve":{{}}}}"#, deep("[", "]")),
        format!(r#"{{"messages":{},"documents":{}}}"#, deep("[", "]"), deep("{\"a\":", "}")),
        format!(
            r#"{{"messages":[{{"role":"user","content":{}}}]}}"#,
            deep("[{\"type\":\"tool_result\",\"content\":", "}]")
        ),
        text(&"<source ".repeat(big / 8)),
        text(&"<source id=\"".repeat(big / 12)),
        text(&"<source id=\"1\" name=\"".repeat(big / 22)),
        text(&"\n<source id=\"1\">".repeat(big / 16)),
        text(&"<source id=\"1\">\n".repeat(big / 16)),
        text(&format!("{}</source>", "\n<source id=\"1\">".repeat(big / 16))),
        text(&"</source>".repeat(big / 9)),
        text(&"<source id=\"1\">a</source>\n".repeat(big / 26)),
        text(&(0..60_000).map(|n| format!("[webpage {n} begin]")).collect::<String>()),
        text(&format!("{}[webpage 1 end]", "[webpage 1 begin]".repeat(60_000))),
        text(&(0..60_000).rev().map(|n| format!("[CONTEXT {n}]:[END CONTEXT {n}]")).collect::<String>()),
        text(&"<context>\n".repeat(big / 10)),
        text(&"ID: 1\n└── Content:\n".repeat(big / 22)),
        text(&"Source 1:\n".repeat(big / 10)),
        text(&"Anchor: \\ue202turn0file0\n".repeat(big / 24)),
        text(&"<searchResults><item title=\"".repeat(big / 28)),
        text(&format!("<search_results>{}</search_results>", "<result index=1 title=a b c ".repeat(big / 28))),
        text(&"&amp;<item title=\"&\" url=\"&\">&".repeat(big / 30)),
        format!(r#"{{"documents":[{}]}}"#, vec!["\"\""; big / 3].join(",")),
        format!(r#"{{"citesieve":{{"policy":{}}}}}"#, deep("[", "]")),
        format!(r#"{{"citesieve":{{"policy":{}}}}}"#, deep("{\"a\":", "}").replace(":}", ":1}")),
        format!("{{{}\"a\":1}}", "\"citesieve\":{},".repeat(big / 16)),
    ];
    for body in bodies {
        if let Ok(found) = request::find(body.as_bytes()) {
            let sources = found.sources.unwrap_or_default();
            assert!(sources.len() <= request::MAX_SOURCES);
            citesieve::source::check(&sources).unwrap();
        }
    }
}

/// How the sources were found stands beside the verdict, of one lane and of several, and in the report.
#[test]
fn the_origin_is_said() {
    let choice = |index: u32, rest: Value| {
        let mut choice = json!({"index": index, "delta": {"content": "Due [1]."}});
        choice.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let stop = json!({"finish_reason": "stop"});
    let one = choice(0, stop.clone()) + "data: [DONE]\n\n";
    let two = choice(0, stop.clone()) + &choice(1, stop) + "data: [DONE]\n\n";
    let sources = || Sources::new(vec![Source::new("1")]).unwrap();
    for (body, several) in [(one, false), (two, true)] {
        let config = Config::new(Policy::default(), sources()).origin(Some("open-webui"));
        let (out, report) = Recording::new(&body, config).run(&[7]);
        assert_eq!(report.sources_from.as_deref(), Some("open-webui"));
        let out = String::from_utf8(out).unwrap();
        let said: Vec<Value> = out
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
            .filter_map(|event| event.get("citesieve").cloned())
            .collect();
        assert_eq!(said.len(), 1);
        assert_eq!((&said[0]["sources_from"], said[0].get("choices").is_some()), (&json!("open-webui"), several));
        let (out, report) = Recording::new(&body, Config::new(Policy::default(), sources())).run(&[7]);
        assert_eq!(report.sources_from, None);
        assert!(!String::from_utf8(out).unwrap().contains("sources_from"));
    }
}

/// JSON of any shape, with the keys and words that the readers look for.
fn any_json() -> impl Strategy<Value = Value> {
    let words = "(<source id=\"[0-9N]\">|</source>|<context>|</context>|\\[[0-9]\\]|\n|Source [0-9]:|ID: [0-9]|└── Content:|\\[webpage [0-9] (begin|end)\\]|\\[(END )?CONTEXT [0-9]\\]:?|a|é|---|<item title=\"a\" url=\"b\">|</item>|</?searchResults>|Anchor: \\\\\\\\ue202turn0file[0-9]|```|Content: ){0,12}";
    let keys = prop::sample::select(vec![
        "messages",
        "role",
        "content",
        "parts",
        "text",
        "type",
        "input",
        "prompt",
        "system",
        "documents",
        "data",
        "id",
        "source",
        "title",
        "output",
        "functionResponse",
        "response",
        "message",
        "chat_history",
        "contents",
        "stream",
        "document",
        "url",
    ]);
    let kinds = prop::sample::select(vec![
        "user",
        "assistant",
        "tool",
        "system",
        "text",
        "document",
        "search_result",
        "tool_result",
        "content",
        "function_call_output",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        kinds.prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// White space as JSON has it.
fn space() -> impl Strategy<Value = String> {
    "[ \n\t\r]{0,2}"
}

proptest! {
    /// Nothing panics, and what is found makes a set.
    #[test]
    fn any_body_is_read(value in any_json(), cut in any::<prop::sample::Index>()) {
        let body = value.to_string();
        let found = request::find(body.as_bytes()).unwrap();
        if let Some(sources) = found.sources {
            Sources::new(sources).unwrap();
        }
        prop_assert_eq!(found.body, None);
        let _ = request::find(&body.as_bytes()[..cut.index(body.len() + 1)]);
    }

    /// What the model says is never read.
    #[test]
    fn a_model_forges_nothing(text in any_json()) {
        let body = json!({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": text}]});
        prop_assert_eq!(request::find(body.to_string().as_bytes()).unwrap().sources, None);
    }

    /// Bytes of the body without the field are bytes of the body, and mean what a parser makes of it without the field.
    #[test]
    fn the_field_is_cut_out(
        members in prop::collection::vec((any::<bool>(), "[a-c]", any_json(), space(), space(), space(), space()), 0..6),
        ends in (space(), space()),
    ) {
        let mut pieces = Vec::new();
        for (ours, key, value, s1, s2, s3, s4) in &members {
            let key = if *ours { "citesieve" } else { key };
            let value = if *ours { json!({}) } else { value.clone() };
            pieces.push((*ours, format!("{s1}\"{key}\"{s2}:{s3}{value}"), s4.clone()));
        }
        let join = |pieces: &[&(bool, String, String)]| {
            pieces.iter().map(|(_, member, space)| format!("{member}{space}")).collect::<Vec<_>>().join(",")
        };
        let body = format!("{}{{{}}}{}", ends.0, join(&pieces.iter().collect::<Vec<_>>()), ends.1);
        let found = request::find(body.as_bytes()).unwrap();
        if members.iter().any(|member| member.0) {
            let out = String::from_utf8(found.body.unwrap()).unwrap();
            let mut expected: Value = serde_json::from_str(&body).unwrap();
            expected.as_object_mut().unwrap().remove("citesieve");
            prop_assert_eq!(&serde_json::from_str::<Value>(&out).unwrap(), &expected, "{}", out);
            let solid = |text: &str| text.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>();
            let kept: Vec<_> = pieces.iter().filter(|piece| !piece.0).collect();
            prop_assert_eq!(solid(&out), solid(&format!("{{{}}}", join(&kept))));
            for piece in kept {
                prop_assert!(out.contains(&piece.1), "{:?} in {:?}", piece.1, out);
            }
        } else {
            prop_assert_eq!(found.body, None);
        }
    }
}
