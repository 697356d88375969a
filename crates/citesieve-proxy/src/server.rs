//! [`Server`]: listens, and serves connections until it is told to stop.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::admin::{self, Scope};
use crate::app::App;
use crate::body::ResponseBody;
use crate::config::{Config, ConfigError, LimitSettings};
use crate::connection::{Connections, Open, Served};
use crate::error::Refusal;
use crate::forward;
use crate::stall::Stall;
use crate::upstream::Upstreams;
use crate::workers::{Spread, Workers};

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Something in the configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A thread cannot be started.
    #[error("threads: {0}")]
    Threads(io::Error),
    /// An address cannot be listened on.
    #[error("{address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// A proxy that listens.
#[derive(Debug)]
pub struct Server {
    app: Arc<App>,
    workers: Workers,
    listener: TcpListener,
    admin: Option<TcpListener>,
    sinks: Vec<JoinHandle<()>>,
}

impl Server {
    /// Listens, and starts the threads that will carry connections. These wait until [`Server::run`].
    ///
    /// # Errors
    /// [`StartError`] when an address is in use, a file of verdicts cannot be opened, or the system has no more threads.
    pub async fn bind(config: Config) -> Result<Self, StartError> {
        let listener = listen(config.listen).await?;
        let admin = match config.admin {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let workers = Workers::start(Upstreams::new(&config)?).map_err(StartError::Threads)?;
        let (app, sinks) = App::new(config).await?;
        Ok(Server { app: Arc::new(app), workers, listener, admin, sinks })
    }

    /// The address that it listens on, with the port that the system chose if none was given.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The address for health and metrics, if it is another one.
    ///
    /// # Errors
    /// What the system says.
    pub fn admin_address(&self) -> io::Result<Option<SocketAddr>> {
        self.admin.as_ref().map(TcpListener::local_addr).transpose()
    }

    /// Serves until `stop` is ready; then takes no more connections, and waits for the streams under way, but not
    /// longer than `limits.drain`. Returns whether all of them came to their end.
    pub async fn run(self, stop: impl Future<Output = ()>) -> bool {
        let Server { app, workers, listener, admin, sinks } = self;
        let workers = Arc::new(workers);
        let upkeep = tokio::spawn(upkeep(Arc::clone(&app)));
        let admin = admin.map(|listener| {
            let mut admin = Listening::new(Arc::clone(&app), Arc::clone(&workers), Kind::Admin);
            tokio::spawn(async move { admin.serve(listener).await })
        });
        let mut main = Listening::new(Arc::clone(&app), Arc::clone(&workers), Kind::Main);
        tokio::select! {
            () = main.serve(listener) => {}
            () = stop => {}
        }
        app.drain();
        tracing::info!(streams = app.running.streams(), "stopping");
        let drained = main.end(app.config.limits.drain.0).await;
        app.judged().await;
        if let Some(admin) = admin {
            admin.abort();
            let _ = admin.await;
        }
        upkeep.abort();
        let _ = upkeep.await;
        drop(workers);
        // What was reported last is still to be written; that ends when nobody can report any more.
        drop(app);
        for sink in sinks {
            if timeout(Duration::from_secs(5), sink).await.is_err() {
                tracing::warn!("verdicts were left unwritten");
            }
        }
        drained
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|source| StartError::Listen { address, source })
}

async fn upkeep(app: Arc<App>) {
    let mut ticks = interval(Duration::from_secs(5));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        app.metrics.upkeep();
    }
}

/// Which listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Main,
    Admin,
}

/// The connections of one listener.
struct Listening {
    app: Arc<App>,
    workers: Arc<Workers>,
    kind: Kind,
    room: Arc<Semaphore>,
    connections: Arc<Connections>,
    tasks: JoinSet<()>,
}

impl Listening {
    fn new(app: Arc<App>, workers: Arc<Workers>, kind: Kind) -> Self {
        let room = Arc::new(Semaphore::new(app.config.limits.connections));
        Listening { app, workers, kind, room, connections: Arc::default(), tasks: JoinSet::new() }
    }

    /// Accepts connections, for ever.
    async fn serve(&mut self, listener: TcpListener) {
        loop {
            // Those that are over; their results have been seen to.
            while self.tasks.try_join_next().is_some() {}
            let Ok(permit) = Arc::clone(&self.room).acquire_owned().await else { return };
            // It is to be watched by the thread that carries it.
            let stream = match listener.accept().await.and_then(|(stream, _)| stream.into_std()) {
                Ok(stream) => stream,
                Err(error) => {
                    // Out of file descriptors, mostly: others may end meanwhile.
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let (app, kind, open) = (Arc::clone(&self.app), self.kind, self.connections.open());
            let spread = self.workers.spread();
            let task = async move {
                match TcpStream::from_std(stream) {
                    Ok(stream) => connection(app, kind, spread, stream, open).await,
                    Err(error) => tracing::warn!(%error, "a connection could not be watched"),
                }
                drop(permit);
            };
            match kind {
                Kind::Main => self.workers.spawn(&mut self.tasks, task),
                // Here, so that they answer however busy the others are.
                Kind::Admin => drop(self.tasks.spawn(task)),
            }
        }
    }

    /// Lets the requests under way come to their end, for so long.
    async fn end(mut self, patience: Duration) -> bool {
        self.connections.end();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        let graceful = timeout(patience, all).await.is_ok();
        self.tasks.shutdown().await;
        graceful
    }
}

async fn connection(app: Arc<App>, kind: Kind, spread: Spread, stream: TcpStream, open: Open) {
    // Events are small, and must not wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY");
    }
    let limits = app.config.limits.clone();
    let stream = Stall::new(stream, limits.client_stall.0);
    let tls = app.config.tls.clone().filter(|_| kind == Kind::Main);
    match tls {
        None => serve(app, kind, spread, stream, &limits, open).await,
        Some(config) => match timeout(limits.request_head.0, TlsAcceptor::from(config).accept(stream)).await {
            Ok(Ok(stream)) => serve(app, kind, spread, stream, &limits, open).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake"),
            Err(_) => tracing::debug!("TLS handshake took too long"),
        },
    }
}

async fn serve<S>(app: Arc<App>, kind: Kind, spread: Spread, stream: S, limits: &LimitSettings, open: Open)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let signal = Arc::clone(&open.signal);
    let service = service_fn(move |request: Request<Incoming>| {
        signal.asked();
        answer(Arc::clone(&app), kind, request)
    });
    let builder = builder(limits, spread);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // The version is found out from the first bytes, for which HTTP has no limit of its own.
    match Served::new(connection, open, limits.request_head.0).await {
        Some(Ok(())) => {}
        Some(Err(error)) => tracing::debug!(%error, "connection"),
        None => tracing::debug!("no request came"),
    }
}

fn builder(limits: &LimitSettings, spread: Spread) -> auto::Builder<Spread> {
    // Heads that are somewhat too long are answered by the service, in the form of all its errors; those that are much
    // too long by HTTP itself.
    let head = limits.header.saturating_mul(2).clamp(16 << 10, 16 << 20);
    let mut builder = auto::Builder::new(spread);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request_head.0)
        // Events are small: to copy them behind their chunk's head costs less than to hand the system a list.
        .writev(false)
        .max_buf_size(head)
        .max_headers(256);
    builder
        .http2()
        .timer(TokioTimer::new())
        .adaptive_window(true)
        .keep_alive_interval(Duration::from_secs(30))
        .max_header_list_size(u32::try_from(head).unwrap_or(u32::MAX))
        .max_concurrent_streams(u32::try_from(limits.streams).unwrap_or(u32::MAX));
    builder
}

async fn answer(app: Arc<App>, kind: Kind, request: Request<Incoming>) -> Result<Response<ResponseBody>, Infallible> {
    match kind {
        Kind::Main => forward::answer(app, request).await,
        Kind::Admin => {
            let answer = admin::answer(&app, Scope::All, request.method(), request.uri().path());
            Ok(answer.unwrap_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no such page").response()))
        }
    }
}
