//! The project's outside: what the README says is true, and the core stays what it promises to be.

use std::path::Path;
use std::process::Command;

/// The core has no I/O: nothing that it depends on is a runtime or touches the network.
#[test]
fn the_core_depends_on_no_runtime() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "-p", "citesieve", "-e", "normal", "--prefix", "none", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    assert!(tree.starts_with("citesieve v") && tree.contains("memchr v"), "{tree}");
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap();
        let runtime = ["tokio", "futures", "mio", "async", "smol", "hyper", "socket2", "reqwest", "rayon", "crossbeam"]
            .iter()
            .any(|runtime| name == *runtime || name.starts_with(&format!("{runtime}-")));
        assert!(!runtime, "the core depends on {name}");
    }
}

/// The Rust code in the README is the example of the same name, which is compiled and run.
#[test]
fn the_readme_shows_the_example_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let example = std::fs::read_to_string(root.join("examples/by_hand.rs")).unwrap();
    let (_, after) = readme.split_once("```rust\n").unwrap();
    let (code, _) = after.split_once("```").unwrap();
    let (_, body) = example.split_once("// README: from here\n").unwrap();
    assert_eq!(code, body);
}
