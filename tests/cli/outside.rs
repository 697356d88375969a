//! The project's outside: what the README says is true, and the core stays what it promises to be.

use std::path::Path;
use std::process::Command;

use crate::support::{arg, run, tests};

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

/// The Rust code in the README are the examples that it names, which are compiled and run.
#[test]
fn the_readme_shows_the_examples_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let shown: Vec<&str> = readme.split("```rust\n").skip(1).map(|after| after.split_once("```").unwrap().0).collect();
    let examples = ["by_hand", "tokio_stream"].map(|name| {
        let example = std::fs::read_to_string(root.join(format!("examples/{name}.rs"))).unwrap();
        example.split_once("// README: from here\n").unwrap().1.to_owned()
    });
    assert_eq!(shown, examples);
}

#[test]
fn the_configuration_for_containers_is_one() {
    let file = arg(&tests("../docs/deploy/citesieve.toml"));
    let checked = run(["serve", "--config", &file, "--check-config"], "").fine();
    assert!(checked.text().contains("the configuration is fine"), "{}", checked.text());
}
