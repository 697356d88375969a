//! Every dialect, streamed and not, over both versions of HTTP, however it arrives: what a client gets is what a session
//! makes of the recording, byte for byte.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use citesieve_wire::testing::Recording;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};

use crate::support::{Plain, Proxy, Shown, ask, both, client, client2, lease, root, sieving, upstream};

/// A path of each API. What is asked for stands in the body, but for Gemini.
fn path(dialect: &str) -> &'static str {
    match dialect {
        "openai-chat" => "/v1/chat/completions",
        "openai-completions" => "/v1/completions",
        "openai-responses" => "/v1/responses",
        "anthropic" => "/v1/messages",
        "gemini" => "/v1beta/models/lease:streamGenerateContent?alt=sse",
        "cohere-v2" => "/v2/chat",
        "cohere-v1" => "/v1/chat",
        "ollama" => "/api/chat",
        "ai-sdk-ui" => "/api/chat",
        other => panic!("a dialect without a path: {other}"),
    }
}

/// All recordings in a folder, as `DIALECT/NAME.ENDING`, with their files.
fn recordings(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for dialect in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(&dialect).unwrap().map(|entry| entry.unwrap().path()) {
            let name = format!(
                "{}/{}",
                dialect.file_name().unwrap().to_str().unwrap(),
                file.file_name().unwrap().to_str().unwrap()
            );
            if name.ends_with(".sse") || name.ends_with("json") {
                found.push((name, file));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no recordings in {}", folder.display());
    found
}

struct Case<'a> {
    name: &'a str,
    body: Vec<u8>,
    sources: Value,
}

impl Case<'_> {
    fn request(&self, proxy: &Proxy, script: &Value, known: bool) -> Request<Full<Bytes>> {
        let mut body = json!({"model": "lease", "stream": true});
        if known {
            body["citesieve"] = json!({"sources": self.sources});
        }
        let mut script = script.clone();
        script["recording"] = self.name.into();
        let dialect = self.name.split('/').next().unwrap();
        ask(proxy.address, path(dialect), &body, &script)
    }

    /// With sources it is sieved, without it is not touched.
    async fn check(&self, client: &Plain, proxy: &Proxy, script: &Value) {
        let (sieved, report) = Recording::new(&self.body, sieving(&self.sources)).run(&[usize::MAX]);
        let shown = Shown::of(client.request(self.request(proxy, script, true)).await.unwrap()).await;
        assert!(!shown.cut && shown.status == 200, "{} {script}", self.name);
        let same = shown.body == sieved;
        assert!(same, "{} {script}:\n{}\n---\n{}", self.name, shown.text(), String::from_utf8_lossy(&sieved));
        assert_eq!(shown.header("content-length"), None, "{}", self.name);
        assert_eq!(shown.header("content-encoding"), None, "{}", self.name);
        assert!(report.dialect.is_some(), "{}", self.name);

        if script.get("encoding").is_none() {
            let shown = Shown::of(client.request(self.request(proxy, script, false)).await.unwrap()).await;
            assert!(shown.body == self.body, "{} without sources", self.name);
        }
    }
}

#[tokio::test]
async fn our_recordings() {
    let (upstream, proxy) = both("").await;
    let mut edits = 0;
    for (name, file) in recordings(&root().join("tests/recordings")) {
        let case = Case { name: &name, body: std::fs::read(file).unwrap(), sources: lease() };
        let (_, report) = Recording::new(&case.body, sieving(&case.sources)).run(&[usize::MAX]);
        edits += report.lanes.iter().map(|(_, verdict)| verdict.edit_count).sum::<u64>();
        let (one, two) = (client(), client2());
        for script in [
            json!({}),
            json!({"chunk": 1}),
            json!({"chunk": 37}),
            json!({"chunk": 0}),
            json!({"encoding": "gzip"}),
            json!({"encoding": "deflate", "chunk": 11}),
            json!({"encoding": "br"}),
            json!({"encoding": "zstd", "chunk": 64}),
        ] {
            case.check(&one, &proxy, &script).await;
        }
        case.check(&two, &proxy, &json!({})).await;
    }
    assert!(edits > 50, "the recordings hold too little to edit: {edits}");
    let stats = upstream.stats();
    assert_eq!(stats.open_bodies, 0);
    assert!(stats.connections < 20, "connections are used again: {}", stats.connections);
}

#[tokio::test]
async fn recordings_of_others() {
    let shared = std::env::var_os("CITESIEVE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let folder = shared.join("recordings");
    if !folder.is_dir() {
        eprintln!("skipped: no shared data");
        return;
    }
    let upstream = upstream([folder.clone()]).await;
    let proxy = Proxy::start(&format!("upstream = \"{}\"", upstream.url()));
    let client = client();
    for (name, file) in recordings(&folder) {
        let body = std::fs::read(file).unwrap();
        let case = Case { name: &name, body, sources: json!([{"id": "1"}, {"id": "2", "text": "Paris"}]) };
        case.check(&client, &proxy, &json!({"chunk": 1000})).await;
    }
}

#[tokio::test]
async fn what_is_not_streamed() {
    let (upstream, proxy) = both("").await;
    for (name, path) in [
        ("openai-chat/lease.json", "/v1/chat/completions"),
        ("anthropic/lease.json", "/v1/messages"),
        ("gemini/lease.json", "/v1beta/models/lease:generateContent"),
        ("ollama/lease.json", "/api/chat"),
    ] {
        let body = std::fs::read(root().join("tests/recordings").join(name)).unwrap();
        let (sieved, _) = Recording::new(&body, sieving(&lease())).run(&[usize::MAX]);
        let question = json!({"model": "lease", "stream": false, "citesieve": {"sources": lease()}});
        let shown = crate::support::send(crate::support::post(proxy.address, path, &question)).await;
        assert_eq!(shown.text(), String::from_utf8(sieved).unwrap(), "{name}");
        assert_eq!(shown.header("content-type"), Some("application/json"));
        // Without sources it keeps its length.
        let shown = crate::support::send(crate::support::post(
            proxy.address,
            path,
            &json!({"model": "lease", "stream": false}),
        ))
        .await;
        assert_eq!(shown.body, body);
        assert_eq!(shown.header("content-length").unwrap(), body.len().to_string());
    }
    drop(upstream);
}

/// Events leave as they come, compressed or not: the stream stalls in its middle, and all before that is there.
#[tokio::test]
async fn nothing_waits_for_more() {
    use http_body_util::BodyExt;
    let (_upstream, proxy) = both("").await;
    let body = std::fs::read(root().join("tests/recordings/openai-chat/lease.sse")).unwrap();
    let at = 1 + body.windows(2).enumerate().filter(|(_, pair)| pair == b"\n\n").map(|(at, _)| at).nth(3).unwrap();
    let first = &body[..=at];
    for encoding in [None, Some("gzip"), Some("deflate"), Some("br"), Some("zstd")] {
        let mut script = json!({"delay_ms": 1});
        match encoding {
            // After so many bytes as sent; compressed ones are counted below.
            None => script["stall"] = first.len().into(),
            Some(encoding) => {
                script["encoding"] = encoding.into();
                script["delay_ms"] = 100.into();
            }
        }
        let mut request = ask(proxy.address, "/v1/chat/completions", &crate::support::question(true), &script);
        request.headers_mut().insert("accept-encoding", "gzip, br".parse().unwrap());
        let mut response = client().request(request).await.unwrap().into_body();
        let mut shown = Vec::new();
        let mut frames = 0;
        while shown.len() < first.len() {
            shown.extend_from_slice(&response.frame().await.unwrap().unwrap().into_data().unwrap());
            frames += 1;
        }
        assert!(frames >= 3, "{encoding:?}: events came in {frames} pieces");
        assert_eq!(shown[..first.len()], *first, "{encoding:?}");
    }
}
