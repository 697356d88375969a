//! What a request says about its answer: sources, sets of them, a policy.

use http_body_util::Full;
use serde_json::{Value, json};

use crate::support::{CHAT, Proxy, Shown, ask, lease, post, question, send, upstream};

/// The recorded answer's markers that name no source, of the five that there are.
const FABRICATED: [&str; 3] = ["[9]", "[8]", "7]"];

fn is_sieved(shown: &Shown) -> bool {
    let answer = shown.answer();
    let fabricated = FABRICATED.iter().filter(|marker| answer.contains(**marker)).count();
    // One of them stands in code, another in the address of a link.
    assert!(fabricated == 2 || fabricated == 3, "{answer}");
    fabricated == 2
}

async fn record(proxy: &Proxy, shown: &Shown) -> Value {
    let (status, page) = proxy.page(&format!("/_citesieve/verdicts/{}", shown.header("x-citesieve-id").unwrap())).await;
    assert_eq!(status, 200);
    serde_json::from_str(&page).unwrap()
}

async fn started(config: &str) -> (citesieve_upstream::Upstream, Proxy) {
    let upstream = upstream([]).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("lease.json"), lease().to_string()).unwrap();
    std::fs::write(folder.path().join("none.json"), "[]").unwrap();
    let sets = "[sources]\nlease = \"lease.json\"\nnone = \"none.json\"\n";
    let proxy = Proxy::start_in(folder, &format!("upstream = \"{}\"\n{config}\n{sets}", upstream.url()));
    (upstream, proxy)
}

fn bare() -> Value {
    json!({"model": "lease", "stream": true})
}

#[tokio::test]
async fn a_set_may_be_named() {
    let (upstream, proxy) = started("").await;
    let named = |name: &str| {
        let mut request = post(proxy.address, CHAT, &bare());
        request.headers_mut().append("x-citesieve-sources", name.parse().unwrap());
        request
    };
    let shown = send(named("lease")).await;
    assert!(is_sieved(&shown));
    assert_eq!(upstream.last().unwrap().header("x-citesieve-sources"), None);
    let record = record(&proxy, &shown).await;
    assert_eq!((record["sources_from"].as_str(), record["sources"].as_u64()), (Some("set lease"), Some(5)));
    assert!(!send(named("none")).await.answer().contains("[1]"), "known to be none");

    let shown = send(named("leases")).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (400, "x-citesieve-sources: no such set of sources"));
    let mut twice = named("lease");
    twice.headers_mut().append("x-citesieve-sources", "none".parse().unwrap());
    assert_eq!(send(twice).await.status, 400);
    // What the body says goes before what the head says.
    let mut both = post(proxy.address, CHAT, &question(true));
    both.headers_mut().insert("x-citesieve-sources", "none".parse().unwrap());
    assert!(is_sieved(&send(both).await));
}

#[tokio::test]
async fn sources_are_found_in_prompts() {
    let (upstream, proxy) = started("").await;
    let prompt: String =
        lease().as_array().unwrap().iter().enumerate().fold(String::new(), |prompt, (index, source)| {
            prompt
                + &format!(
                    "<source id=\"{}\" name=\"a\">{}</source>\n",
                    index + 1,
                    source["text"].as_str().unwrap_or("x")
                )
        });
    let body = json!({"model": "lease", "stream": true, "messages": [
        {"role": "system", "content": format!("### Task:\nRespond to the user query using the provided context\n<context>\n{prompt}</context>\n")},
        {"role": "user", "content": "When is rent due?"}]});
    let shown = send(post(proxy.address, CHAT, &body)).await;
    assert!(is_sieved(&shown));
    assert_eq!(upstream.last().unwrap().body, body.to_string(), "not touched");
    let record = record(&proxy, &shown).await;
    assert_eq!((record["sources_from"].as_str(), record["sources"].as_u64()), (Some("open-webui"), Some(5)));
    // The set that is named goes before what is guessed.
    let mut named = post(proxy.address, CHAT, &body);
    named.headers_mut().insert("x-citesieve-sources", "none".parse().unwrap());
    assert!(!send(named).await.answer().contains("[1]"));

    let (_upstream, proxy) = started("[requests]\nsources = false").await;
    assert!(!is_sieved(&send(post(proxy.address, CHAT, &body)).await));
    let shown = send(post(proxy.address, CHAT, &question(true))).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (403, "a request may not bring sources here"));
}

#[tokio::test]
async fn nothing_known_is_said() {
    let (_upstream, proxy) = started("").await;
    let shown = send(post(proxy.address, CHAT, &bare())).await;
    assert!(!is_sieved(&shown));
    let record = record(&proxy, &shown).await;
    assert_eq!(record["sources_from"], Value::Null);
    assert_eq!(record["choices"][0]["verdict"]["status"], "unchecked");
    assert_eq!(record["dialect"], "openai-chat");
}

#[tokio::test]
async fn a_policy_may_be_stricter() {
    let with = |policy: Value| {
        let mut body = question(true);
        body["citesieve"]["policy"] = policy;
        body
    };
    let stricter = with(json!({"failed_citations": "drop", "release": "claim", "failed_claims": "mark"}));
    let looser = with(json!({"syntaxes": []}));
    let (_upstream, proxy) = started("").await;
    assert!(send(post(proxy.address, CHAT, &stricter)).await.answer().contains("[unverified]"));
    assert_eq!(send(post(proxy.address, CHAT, &looser)).await.status, 403);
    assert_eq!(send(post(proxy.address, CHAT, &with(json!({"max_hod": 1})))).await.status, 400);

    let (_upstream, proxy) = started("[requests]\npolicy = \"any\"").await;
    let shown = send(post(proxy.address, CHAT, &looser)).await;
    assert!(shown.answer().contains("[9]") && shown.status == 200);

    let (_upstream, proxy) = started("[requests]\npolicy = \"no\"").await;
    let shown = send(post(proxy.address, CHAT, &stricter)).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (403, "a request may not change the policy here"));
}

#[tokio::test]
async fn a_field_that_cannot_be_read() {
    let (upstream, proxy) = started("").await;
    for field in [json!(7), json!({"sources": 7}), json!({"source": []}), json!({"sources": [{"id": ""}]})] {
        let mut body = bare();
        body["citesieve"] = field.clone();
        let shown = send(post(proxy.address, CHAT, &body)).await;
        assert_eq!(shown.status, 400, "{field}");
        assert!(shown.refusal().contains("citesieve"), "{}", shown.refusal());
    }
    assert_eq!(upstream.stats().requests, 0);
    // What is no JSON is for the upstream to refuse.
    let mut request = post(proxy.address, CHAT, &bare());
    *request.body_mut() = Full::from("{\"citesieve\": ");
    send(request).await;
    assert_eq!(upstream.last().unwrap().body, "{\"citesieve\": ");
}

#[tokio::test]
async fn routes_have_sources_policies_and_dialects_of_their_own() {
    let (first, second) = (upstream([]).await, upstream([]).await);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("lease.json"), lease().to_string()).unwrap();
    let proxy = Proxy::start_in(
        folder,
        &format!(
            "upstream = \"{}\"\n[sources]\nlease = \"lease.json\"\n[policy]\nmarkers = \"keep\"\n\
             [[route]]\npath = \"/team/\"\nupstream = \"{}/base/\"\nsources = \"lease\"\n\
             [route.policy]\nmarkers = \"remove\"\n\
             [[route]]\npath = \"/team/own\"\nupstream = \"{}\"\nstrip = false\ndialect = \"openai-chat\"\n",
            first.url(),
            second.url(),
            second.url()
        ),
    );
    let shown = send(post(proxy.address, "/team/v1/chat/completions?x=1", &bare())).await;
    assert_eq!(second.last().unwrap().path, "/base/v1/chat/completions?x=1");
    assert!(!shown.answer().contains('[') || !shown.answer().contains("[1]"), "{}", shown.answer());
    let shown =
        send(ask(proxy.address, "/team/own/thing", &question(true), &json!({"recording": "openai-chat/lease.sse"})))
            .await;
    assert_eq!(second.last().unwrap().path, "/team/own/thing");
    assert!(is_sieved(&shown));
    // Only whole segments count, and everything else takes the route for all.
    for path in ["/teams/v1/chat/completions", "/v1/chat/completions", "//team/v1/chat/completions"] {
        send(post(proxy.address, path, &bare())).await;
        assert_eq!(first.last().unwrap().path, path);
    }
    // A set of the route is for answers, not for all JSON.
    let shown = send(ask(proxy.address, "/team/v1/embeddings", &json!({}), &json!({"body": {"text": "[9]"}}))).await;
    assert_eq!((shown.text().as_str(), shown.header("x-citesieve-id")), ("{\"text\":\"[9]\"}", None));
    // Without a route for all, the rest is not there.
    let proxy = Proxy::start(&format!("[[route]]\npath = \"/a\"\nupstream = \"{}\"\n", first.url()));
    let shown = send(post(proxy.address, "/b", &bare())).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (404, "no route leads to this path"));
}

/// What cannot be read for its sources passes, and that is told.
#[tokio::test]
async fn a_request_that_is_compressed() {
    let (upstream, proxy) = started("").await;
    let mut request = post(proxy.address, CHAT, &bare());
    request.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    let shown = send(request).await;
    assert_eq!(upstream.last().unwrap().body, bare().to_string());
    let record = record(&proxy, &shown).await;
    assert_eq!(
        (record["unchecked"][0]["what"].as_str(), record["unchecked"][0]["why"].as_str()),
        (Some("request"), Some("content encoding gzip"))
    );
}
