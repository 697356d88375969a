//! Configurations: what is wrong with one is said in one line.

use std::process::Command;

use crate::support::root;

/// The exit code, standard output and standard error of `serve --check-config` with these arguments, and this file.
fn check(file: Option<&str>, args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("lease.json"), "{\"1\": \"Rent is due.\"}").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_citesieve"));
    command.current_dir(folder.path()).args(["serve", "--check-config"]).args(args);
    if let Some(file) = file {
        std::fs::write(folder.path().join("proxy.toml"), file).unwrap();
        command.args(["--config", "proxy.toml"]);
    }
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn what_is_fine() {
    let (code, out, err) = check(None, &["--upstream", "https://api.example.com/v1", "--set", "max_hold=9"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "the configuration is fine\n/ → https://api.example.com/v1\n");
    let (code, out, err) =
        check(None, &["--upstream", "http://[::1]:8080", "--sources", "lease.json", "--listen", "[::1]:0"]);
    assert_eq!((code, err.as_str(), out.lines().count()), (0, "", 2));
}

/// The example of the documentation names every setting, with its default.
#[test]
fn the_documented_example_is_fine() {
    let text = std::fs::read_to_string(root().join("docs/proxy.md")).unwrap();
    let blocks: Vec<&str> = text.split("```toml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect();
    assert!(blocks.len() >= 2);
    for block in blocks {
        let block = block.replace("handbook.jsonl", "lease.json").replace("prices/", "lease.json");
        let (code, _, err) = check(Some(&block), &["--upstream", "http://127.0.0.1:1"]);
        assert_eq!((code, err.as_str()), (0, ""), "{block}");
    }
}

#[test]
fn what_is_wrong() {
    for (file, expected) in [
        ("", "proxy.toml: no upstream: give --upstream URL, or upstream or [[route]] in the file"),
        ("upstream = \"api.example.com\"", "proxy.toml: upstream: a URL that begins with http:// or https:// expected"),
        (
            "upstream = \"https://u:p@a\"",
            "proxy.toml: upstream: credentials in a URL are not supported; send them as headers",
        ),
        ("upstream = \"https://a?x=1\"", "proxy.toml: upstream: the upstream must not have a query"),
        ("upstream = 7", "proxy.toml: line 1, column 12: invalid type: integer `7`, expected a string"),
        ("listen = \"here\"", "proxy.toml: line 1, column 10: \"here\" is no address such as 127.0.0.1:8787"),
        ("workers = 0", "proxy.toml: line 1, column 11: invalid value: integer `0`, expected a nonzero usize"),
        ("workers = 1025", "proxy.toml: workers: more than 1024"),
        ("upstrem = \"https://a\"", "proxy.toml: line 1, column 1: unknown field `upstrem`, expected one of"),
        (
            "[limits]\nidle = \"soon\"",
            "proxy.toml: line 2, column 8: invalid value: string \"soon\", expected a duration such as",
        ),
        ("[limits]\nidle = \"0s\"", "proxy.toml: limits.idle: it must be longer than nothing"),
        ("[limits]\nframe = 7", "proxy.toml: limits.frame: 7 is less than 1024"),
        ("[limits]\nstreams = 0", "proxy.toml: limits.streams: 0 is less than 1"),
        ("[verdicts]\nqueue = 0", "proxy.toml: verdicts.queue: 0 is not from 1 to 1,048,576"),
        (
            "[verdicts]\nwebhook = \"x\"",
            "proxy.toml: verdicts.webhook: a URL that begins with http:// or https:// expected",
        ),
        ("[requests]\npolicy = \"maybe\"", "unknown variant `maybe`, expected one of `no`, `stricter`, `any`"),
        ("[sieve]\nfailure = \"ajar\"", "unknown variant `ajar`, expected `open` or `closed`"),
        ("[sources]\n\"a b\" = \"lease.json\"", "proxy.toml: sources.a b: a name of letters, digits"),
        ("[sources]\na = \"nowhere.json\"", "proxy.toml: sources.a: "),
        ("default_set = \"b\"", "no set of sources is named \"b\""),
        ("[policy]\nmax_hod = 1", "proxy.toml: policy: unknown field `max_hod`"),
        ("[tls]\ncert = \"lease.json\"\nkey = \"lease.json\"", "lease.json: "),
        ("[log]\nfilter = \"a=b=c\"", "log.filter: "),
        ("admin = \"127.0.0.1:8787\"", "proxy.toml: admin: 127.0.0.1:8787 is the address of the proxy itself"),
        ("[[route]]\npath = \"a\"\nupstream = \"http://a\"", "route 1 (a): the path \"a\" is none that begins with /"),
        (
            "[[route]]\npath = \"/a\"\nupstream = \"http://a\"\ndialect = \"x\"",
            "route 1 (/a): unknown dialect \"x\", expected one of openai-chat",
        ),
        (
            "[[route]]\npath = \"/a\"\nupstream = \"http://a\"\nsources = \"x\"",
            "route 1 (/a): no set of sources is named \"x\"",
        ),
        (
            "[[route]]\npath = \"/a\"\nupstream = \"http://a\"\n[route.policy]\nx = 1",
            "route 1 (/a): policy: unknown field `x`",
        ),
        (
            "[[route]]\npath = \"/\"\nupstream = \"http://a\"\n[[route]]\npath = \"/\"\nupstream = \"http://b\"",
            "route 2 (/): another route has the path /",
        ),
        ("[[route]]\npath = \"/a\"\nupstream = \"http://a\"\nca = \"nowhere.pem\"", "nowhere.pem: "),
    ] {
        let needs = file.contains("upstream") || file.is_empty() || file.contains("upstrem");
        let args: &[&str] = if needs { &[] } else { &["--upstream", "http://a.example"] };
        let (code, out, err) = check(Some(file), args);
        assert_eq!((code, out.as_str()), (2, ""), "{file}: {err}");
        assert!(err.starts_with("citesieve: ") && err.contains(expected) && err.lines().count() == 1, "{file}:\n{err}");
    }
    let (code, _, err) = check(None, &["--config", "nowhere.toml"]);
    assert!(code == 2 && err.contains("nowhere.toml"), "{err}");
}

/// Those that were already there were dropped where that is not allowed, and the program panicked.
#[cfg(unix)]
#[test]
fn a_system_that_has_no_more_threads_to_give() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proxy.toml");
    std::fs::write(&file, "listen = \"127.0.0.1:0\"\nworkers = 500\nupstream = \"http://127.0.0.1:1\"").unwrap();
    let mut command = Command::new("sh");
    // Every thread needs a few file descriptors.
    command.args(["-c", "ulimit -n 64 && exec \"$0\" serve --config \"$1\"", env!("CARGO_BIN_EXE_citesieve")]);
    let output = command.arg(&file).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("threads: ") && !err.contains("panicked") && err.lines().count() == 1, "{err}");
}
