//! TLS on both sides, and HTTP/2 where both agree on it: one proxy behind another.

use bytes::Bytes;
use http::Version;
use http_body_util::Full;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::support::{CHAT, Proxy, Shown, post, question, root, send, upstream};

#[tokio::test]
async fn on_both_sides() {
    let files = root().join("tests/proxy/tls");
    let file = |name: &str| files.join(name).display().to_string();
    let upstream = upstream([]).await;
    let inner = Proxy::start(&format!(
        "upstream = \"{}\"\n[tls]\ncert = '{}'\nkey = '{}'",
        upstream.url(),
        file("cert.pem"),
        file("key.pem")
    ));
    for (protocol, version) in [("auto", Version::HTTP_2), ("http1", Version::HTTP_11), ("http2", Version::HTTP_2)] {
        let outer = Proxy::start(&format!(
            "[[route]]\npath = \"/\"\nupstream = \"https://localhost:{}\"\nca = '{}'\nprotocol = \"{protocol}\"",
            inner.address.port(),
            file("ca.pem"),
        ));
        let shown = send(post(outer.address, CHAT, &question(true))).await;
        assert!(shown.answer().contains("in the ledger") && !shown.answer().contains("[8]"), "{protocol}");

        // The same directly.
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file("ca.pem")).unwrap()).unwrap();
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let tls = tls.with_root_certificates(roots).with_no_client_auth();
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_only();
        let connector = match protocol {
            "http1" => connector.enable_http1().build(),
            _ => connector.enable_all_versions().build(),
        };
        let client = Client::builder(TokioExecutor::new()).build::<_, Full<Bytes>>(connector);
        let mut request = post(inner.address, CHAT, &question(true));
        *request.uri_mut() = format!("https://localhost:{}{CHAT}", inner.address.port()).parse().unwrap();
        let response = client.request(request).await.unwrap();
        assert_eq!(response.version(), version);
        assert!(Shown::of(response).await.answer().contains("in the ledger"));
    }
    // Whom nobody vouches for is not asked.
    let outer = Proxy::start(&format!("upstream = \"https://localhost:{}\"", inner.address.port()));
    let shown = send(post(outer.address, CHAT, &question(true))).await;
    assert_eq!((shown.status.as_u16(), shown.refusal().as_str()), (502, "the upstream could not be reached"));
}

#[tokio::test]
async fn http2_without_tls_on_both_sides() {
    let upstream = upstream([]).await;
    let proxy =
        Proxy::start(&format!("[[route]]\npath = \"/\"\nupstream = \"{}\"\nprotocol = \"http2\"", upstream.url()));
    let response = crate::support::client2().request(post(proxy.address, CHAT, &question(true))).await.unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    assert!(Shown::of(response).await.answer().contains("in the ledger"));
    assert_eq!(upstream.stats().http2_requests, 1);
}

/// Who connects and does not speak TLS holds nothing.
#[tokio::test]
async fn a_handshake_that_never_ends() {
    use tokio::io::AsyncReadExt;
    let files = root().join("tests/proxy/tls");
    let proxy = Proxy::start(&format!(
        "upstream = \"http://127.0.0.1:1\"\n[limits]\nrequest_head = \"200ms\"\n[tls]\ncert = '{}'\nkey = '{}'",
        files.join("cert.pem").display(),
        files.join("key.pem").display()
    ));
    let mut stream = tokio::net::TcpStream::connect(proxy.address).await.unwrap();
    let mut answer = Vec::new();
    let end = tokio::time::timeout(crate::support::PATIENCE, stream.read_to_end(&mut answer)).await;
    assert!(end.is_ok() && answer.is_empty());
}
