//! The documentation says what the defaults are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

use citesieve_proxy::Settings;
use citesieve_proxy::config::Span;

/// The first block of the documentation, without what it says are examples.
fn documented() -> toml::Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/proxy.md");
    let text = std::fs::read_to_string(path).unwrap();
    let block = text.split("```toml\n").nth(1).unwrap().split("\n```").next().unwrap();
    let lines: Vec<&str> = block.lines().filter(|line| !line.contains("example")).collect();
    lines.join("\n").parse().unwrap()
}

#[test]
fn what_is_written_is_the_default() {
    let written = Settings::parse(&toml::to_string(&documented()).unwrap()).unwrap();
    let default = Settings::default();
    assert_eq!(format!("{:?}", written.requests), format!("{:?}", default.requests));
    assert_eq!(format!("{:?}", written.sieve), format!("{:?}", default.sieve));
    assert_eq!(format!("{:?}", written.limits), format!("{:?}", default.limits));
    assert_eq!(format!("{:?}", written.verdicts), format!("{:?}", default.verdicts));
    assert_eq!(format!("{:?}", written.log), format!("{:?}", default.log));
    assert_eq!(format!("{:?}", written.litellm), format!("{:?}", default.litellm));
    assert_eq!(written.listen, default.listen);
}

/// The parser names what it knows when it meets what it does not; all of that is documented.
#[test]
fn every_setting_is_written() {
    let documented = documented();
    for section in ["requests", "sieve", "limits", "verdicts", "log", "litellm"] {
        let keys = documented[section].as_table().unwrap();
        let error = Settings::parse(&format!("[{section}]\nunknown = 1")).unwrap_err().to_string();
        let known: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        assert!(known.len() > 1, "{error}");
        for key in known {
            // Without a default: named as an example.
            let optional = matches!((section, key), ("verdicts", "file" | "webhook"));
            assert!(optional || keys.contains_key(key), "[{section}] {key} is not in docs/proxy.md");
        }
    }
}

#[test]
fn durations_are_read_as_they_are_shown() {
    for text in ["250ms", "1.5s", "10m", "2h"] {
        let span = Span::parse(text).unwrap();
        assert_eq!(Span::parse(&span.to_string()), Some(span), "{text}");
    }
}
