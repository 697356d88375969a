//! What the proxy is compared with: the same server and client of hyper, with nothing in between.

use http::{Request, Response, Uri, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

/// Serves until the process is ended.
pub(crate) async fn serve() {
    let upstream: Uri = std::env::var("CITESIEVE_BENCH_UPSTREAM").unwrap().parse().unwrap();
    let authority = upstream.authority().unwrap().clone();
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Incoming> = Client::builder(TokioExecutor::new()).build(connector);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).unwrap();
        let (client, authority) = (client.clone(), authority.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            let path = request.uri().path_and_query().cloned().unwrap();
            let uri = Uri::builder().scheme("http").authority(authority.clone()).path_and_query(path);
            *request.uri_mut() = uri.build().unwrap();
            request.headers_mut().remove(header::HOST);
            let answer = client.request(request);
            async move { answer.await.map(|response: Response<Incoming>| response) }
        });
        tokio::spawn(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder.http1().timer(TokioTimer::new());
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
