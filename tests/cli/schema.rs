//! `citesieve schema`, and what the program writes against it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{arg, folder, run, tests};

fn schema(args: &[&str]) -> Value {
    let shown = run(["schema"].iter().chain(args), "").fine();
    serde_json::from_str(shown.text()).unwrap()
}

/// What is wrong with a value, by the part of JSON Schema that our schemas use. Any other keyword is an error of its own.
fn complaints(schema: &Value, root: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut list = Vec::new();
    let Some(object) = schema.as_object() else {
        return if schema == &json!(true) { list } else { vec![format!("{at}: not allowed")] };
    };
    let properties = schema["properties"].as_object();
    for (keyword, rule) in object {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" | "properties" => true,
            "$ref" => {
                let target = root.pointer(rule.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                list.extend(complaints(target, root, value, at));
                true
            }
            "type" => {
                let kinds = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                kinds.iter().any(|kind| match kind.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "number" => value.is_number(),
                    "integer" => value.is_i64() || value.is_u64(),
                    other => panic!("{other}"),
                })
            }
            "enum" => rule.as_array().unwrap().contains(value),
            "const" => rule == value,
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "required" => {
                let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                !value.is_object() || rule.as_array().unwrap().iter().all(has)
            }
            "additionalProperties" => {
                let known = |key: &String| properties.is_some_and(|properties| properties.contains_key(key));
                let others = value.as_object().into_iter().flatten().filter(|(key, _)| !known(key));
                list.extend(others.flat_map(|(key, inner)| complaints(rule, root, inner, &format!("{at}/{key}"))));
                true
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                list.extend(items.flat_map(|(index, item)| complaints(rule, root, item, &format!("{at}/{index}"))));
                true
            }
            "anyOf" | "oneOf" => {
                let fits = |one: &&Value| complaints(one, root, value, at).is_empty();
                let fitting = rule.as_array().unwrap().iter().filter(fits).count();
                fitting == 1 || keyword == "anyOf" && fitting > 1
            }
            other => panic!("{at}: the keyword {other} is not known to this test"),
        };
        if !holds {
            list.push(format!("{at}: {keyword} {rule} does not hold for {value}"));
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        if let Some(rule) = properties.and_then(|properties| properties.get(key)) {
            list.extend(complaints(rule, root, inner, &format!("{at}/{key}")));
        }
    }
    list
}

#[test]
fn an_answer_has_two_outcomes() {
    let (bare, record) = (schema(&["answer"]), schema(&["answer", "--field", "rent", "--field", "a\"b"]));
    let fits = |value: &Value| complaints(&bare, &bare, value, "").is_empty();
    let cite = json!({"ref": 1, "quote": "x"});
    for value in [
        json!({"status": "extracted", "answer": "x", "citations": [cite]}),
        json!({"status": "extracted", "answer": "x", "citations": [{"ref": "a", "quote": "x"}, cite]}),
        json!({"status": "not_found", "answer": null, "citations": []}),
    ] {
        assert!(fits(&value), "{value}");
        let of_many = json!({"rent": value, "a\"b": value});
        assert_eq!(complaints(&record, &record, &of_many, ""), Vec::<String>::new());
        assert!(!complaints(&record, &record, &json!({"rent": value}), "").is_empty());
    }
    for value in [
        json!({"status": "extracted", "answer": "x", "citations": []}),
        json!({"status": "extracted", "answer": null, "citations": [cite]}),
        json!({"status": "extracted", "answer": "x"}),
        json!({"status": "not_found", "answer": "x", "citations": []}),
        json!({"status": "not_found", "answer": null, "citations": [cite]}),
        json!({"status": "maybe", "answer": "x", "citations": [cite]}),
        json!({"status": "extracted", "answer": "x", "citations": [cite], "more": 1}),
        json!({"status": "extracted", "answer": "x", "citations": [{"ref": 1}]}),
        json!({"status": "extracted", "answer": "x", "citations": [{"ref": 1.5, "quote": "x"}]}),
    ] {
        assert!(!fits(&value), "{value}");
    }
}

/// What strict modes ask of every object: all properties required, no others allowed.
#[test]
fn an_answer_suits_strict_modes() {
    fn look(schema: &Value) {
        if schema["type"] == "object" {
            let names: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            let required: BTreeSet<&str> =
                schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!((names, &schema["additionalProperties"]), (required, &json!(false)));
        }
        match schema {
            Value::Object(map) => map.values().for_each(look),
            Value::Array(list) => list.iter().for_each(look),
            _ => {}
        }
    }
    look(&schema(&["answer"]));
    let record = schema(&["answer", "--field", "result"]);
    look(&record);
    assert_eq!(record["type"], "object", "strict mode wants an object at the root");
}

const SOURCES: &str = r#"[
    {"id": 1, "title": "Lease", "url": "https://a.example/", "text": "Late rent bears interest at four per cent a year. No animal, large or small, may be kept."},
    {"id": 2, "text": "Either party may terminate on three months’ written notice."}, {"id": 3}
]"#;
const ANSWER: &str = "“Interest at five per cent a year” [1, 9]. \"no animal … may be kept\" [1]. \"late [i.e. any] rent bears interest\" [1]. \"terminate on three months' written notice\" [1] [8].\n\n> Gold and silver only, says the king.\n\n> Late rent bears interest [1]\n\n- \"whatever it says there\" [3]\n";

#[test]
fn verdicts_fit_their_schema() {
    let folder = folder();
    let file = arg(&folder.path().join("report.json"));
    let verdict_schema = schema(&["verdict"]);
    let mut classes = BTreeSet::new();
    for policy in [
        &[][..],
        &["--set", "release=answer"],
        &["--set", "release=claim", "--set", "markers=renumber", "--set", "notice=gfm"],
    ] {
        for (answer, sources) in [("", SOURCES), (ANSWER, SOURCES), (ANSWER, "[]"), ("Due [7].", SOURCES)] {
            let args = ["check", "-", "--sources", sources, "--report", &file];
            let shown = run(args.iter().chain(policy), answer);
            assert_eq!(shown.stderr, "");
            let verdict: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            assert_eq!(complaints(&verdict_schema, &verdict_schema, &verdict, ""), Vec::<String>::new());
            classes.extend(verdict["quotes"].as_array().unwrap().iter().map(|quote| quote["class"].to_string()));
            // A field that is missing is seen.
            let mut less = verdict.clone();
            less.as_object_mut().unwrap().remove("unchecked");
            assert!(!complaints(&verdict_schema, &verdict_schema, &less, "").is_empty());
        }
    }
    assert!(classes.len() >= 4, "{classes:?}");
    let checked_schema = schema(&["checked"]);
    let json = r#"[{"status": "extracted", "answer": "x", "citations": [{"ref": 1, "quote": "interest at five per cent a year"},
        {"ref": 1, "start": 0, "end": 999, "unit": "bytes"}, {"ref": 1, "quote": "interest at four per cent"}]}, {"status": "not_found"}]"#;
    run(["check", "-", "--structured", "--sources", SOURCES, "--report", &file], json);
    let checked: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(complaints(&checked_schema, &checked_schema, &checked, ""), Vec::<String>::new());
}

#[test]
fn policies_fit_their_schema() {
    let schema = schema(&["policy"]);
    let policy = serde_json::to_value(citesieve::Policy::default()).unwrap();
    assert_eq!(complaints(&schema, &schema, &policy, ""), Vec::<String>::new());
    assert_eq!(complaints(&schema, &schema, &json!({}), ""), Vec::<String>::new());
    for wrong in
        [json!({"max_hlod": 1}), json!({"release": "never"}), json!({"syntaxes": ["hash"]}), json!({"max_hold": -1})]
    {
        assert!(!complaints(&schema, &schema, &wrong, "").is_empty(), "{wrong}");
    }
}

/// Every type of the schema has a table in `docs/verdict.md`, with exactly its fields or values.
#[test]
fn the_documentation_names_every_field() {
    let doc = std::fs::read_to_string(tests("../docs/verdict.md")).unwrap();
    let mut documented: std::collections::BTreeMap<String, BTreeSet<String>> = Default::default();
    let mut section = String::new();
    for line in doc.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim_matches('`').to_owned();
        } else if let Some(cell) = line.strip_prefix("| `") {
            documented.entry(section.clone()).or_default().insert(cell.split('`').next().unwrap().to_owned());
        }
    }
    let schema = schema(&["checked"]);
    let mut defined: std::collections::BTreeMap<String, BTreeSet<String>> = Default::default();
    let names = |schema: &Value| {
        let mut set: BTreeSet<String> =
            schema["properties"].as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
        let variants = schema["oneOf"].as_array().into_iter().flatten().chain([schema]);
        for variant in variants {
            set.extend(variant["const"].as_str().map(str::to_owned));
            set.extend(
                variant["enum"].as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)),
            );
            // A tag stands for the name it holds.
            for (key, inner) in variant["properties"].as_object().into_iter().flatten() {
                set.insert(inner["const"].as_str().unwrap_or(key).to_owned());
            }
        }
        set
    };
    defined.insert("Checked".into(), names(&schema));
    for (name, inner) in schema["$defs"].as_object().unwrap() {
        defined.insert(name.clone(), names(inner));
    }
    assert_eq!(documented, defined);
}
