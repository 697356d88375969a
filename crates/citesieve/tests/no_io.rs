//! The core has no I/O, clock, thread, environment or runtime: neither in its sources nor in what it depends on.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that bring a runtime, a thread pool or a socket along.
const RUNTIMES: &[&str] = &[
    "tokio",
    "futures",
    "mio",
    "async-std",
    "async-io",
    "smol",
    "hyper",
    "socket2",
    "reqwest",
    "rayon",
    "crossbeam",
    "getrandom",
    "libc",
    "rustix",
];

/// Modules of the standard library that reach outside.
const OUTSIDE: &[&str] = &["fs", "net", "io", "thread", "time", "env", "process", "os"];

#[test]
fn it_depends_on_no_runtime() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "-p", "citesieve", "-e", "normal", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let names = String::from_utf8(tree.stdout).unwrap();
    assert!(names.lines().any(|line| line.starts_with("memchr ")), "this is no tree: {names}");
    for line in names.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        let known = RUNTIMES.iter().any(|runtime| name == *runtime || name.starts_with(&format!("{runtime}-")));
        assert!(!known, "the core depends on {line}");
    }
}

#[test]
fn its_sources_reach_nowhere() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 20);
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        for (number, line) in source.lines().enumerate() {
            let code = line.split("//").next().unwrap_or(line);
            let has = |word: &str| {
                let goes_on = |c: char| c.is_alphanumeric() || c == '_';
                code.match_indices(word).any(|(at, _)| !code[at + word.len()..].starts_with(goes_on))
            };
            let words =
                ["async fn", ".await", "Instant", "SystemTime", "thread_local!", "static mut"].map(String::from);
            for word in OUTSIDE.iter().map(|module| format!("std::{module}")).chain(words) {
                assert!(!has(&word), "{}:{}: {line}", file.display(), number + 1);
            }
        }
    }
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder of the crate") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}
