//! The threads that carry connections: one per core, each with a runtime and clients of its own.
//!
//! To wake another thread for an event is a large part of what it costs. So a request, its connection to the upstream and
//! its answer stay on the thread on which they began, and no thread takes work from another; only streams that share an
//! HTTP/2 connection may run on another thread than that. What takes long, such as reading a large request, is done
//! elsewhere (`sources`).

use std::cell::OnceCell;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use hyper::rt::Executor;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::config::Route;
use crate::upstream::{Client, Upstreams};

thread_local! {
    static HERE: OnceCell<Here> = const { OnceCell::new() };
}

/// What a thread that carries connections knows about itself.
struct Here {
    number: usize,
    upstreams: Upstreams,
}

/// The client of a route, on the thread that calls.
pub(crate) fn client(route: &Route) -> Option<Client> {
    HERE.with(|here| here.get()?.upstreams.client(route).cloned())
}

/// The threads. They end when this is dropped, whatever they do then.
#[derive(Debug)]
pub(crate) struct Workers {
    team: Arc<Team>,
    /// Dropped, it ends a thread.
    _running: Vec<oneshot::Sender<()>>,
}

impl Workers {
    /// Starts a thread for each of these, and waits until they run.
    pub(crate) fn start(upstreams: Vec<Upstreams>) -> io::Result<Self> {
        let mut running = Vec::new();
        let mut team = Vec::new();
        for (number, upstreams) in upstreams.into_iter().enumerate() {
            let (run, over) = oneshot::channel();
            // Made there, because a runtime must not be dropped by a task of another one, should a later thread not start.
            let (tell, told) = mpsc::channel();
            thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
                let runtime = match Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => runtime,
                    Err(error) => return drop(tell.send(Err(error))),
                };
                HERE.with(|here| drop(here.set(Here { number, upstreams })));
                let _ = tell.send(Ok(runtime.handle().clone()));
                // An error says that the other end is gone, which is what it waits for.
                let _ = runtime.block_on(over);
                runtime.shutdown_background();
            })?;
            let handle = told.recv().map_err(io::Error::other)??;
            team.push(Worker { handle, carried: AtomicUsize::new(0) });
            running.push(run);
        }
        Ok(Workers { team: Arc::new(Team(team)), _running: running })
    }

    /// What spreads the streams of one connection.
    pub(crate) fn spread(&self) -> Spread {
        Spread(Arc::clone(&self.team))
    }

    /// Has a task carried by the thread that carries the least.
    pub(crate) fn spawn(&self, tasks: &mut JoinSet<()>, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(worker) = self.team.lightest() {
            let load = self.team.load(worker);
            tasks.spawn_on(load.around(task), &self.team.0[worker].handle);
        }
    }
}

/// A thread as others see it.
#[derive(Debug)]
struct Worker {
    handle: Handle,
    /// Connections, and streams of HTTP/2 connections.
    carried: AtomicUsize,
}

/// All of them.
#[derive(Debug)]
struct Team(Vec<Worker>);

impl Team {
    fn carried(&self, worker: usize) -> usize {
        self.0[worker].carried.load(Ordering::Relaxed)
    }

    fn lightest(&self) -> Option<usize> {
        (0..self.0.len()).min_by_key(|&worker| self.carried(worker))
    }

    /// Counts one more.
    fn load(self: &Arc<Self>, worker: usize) -> Load {
        self.0[worker].carried.fetch_add(1, Ordering::Relaxed);
        Load { team: Arc::clone(self), worker }
    }
}

/// Counted until it is dropped.
struct Load {
    team: Arc<Team>,
    worker: usize,
}

impl Load {
    async fn around<T>(self, task: impl Future<Output = T>) -> T {
        let _counted = self;
        task.await
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.team.0[self.worker].carried.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Spreads the streams of an HTTP/2 connection: all those of a program may share one.
#[derive(Debug, Clone)]
pub(crate) struct Spread(Arc<Team>);

/// How much more a thread may carry than another before what it gets goes there.
const UNEVEN: usize = 8;

impl<F> Executor<F> for Spread
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, task: F) {
        let Spread(team) = self;
        let here = HERE.with(|here| here.get().map(|here| here.number));
        // On the thread of the listener for health and metrics.
        let Some(here) = here else {
            tokio::spawn(task);
            return;
        };
        let lightest = team.lightest().unwrap_or(here);
        let worker = if team.carried(here) > team.carried(lightest) + UNEVEN { lightest } else { here };
        let load = team.load(worker);
        team.0[worker].handle.spawn(load.around(task));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(count: usize) -> Workers {
        let settings = format!("workers = {count}\nupstream = \"http://127.0.0.1:9\"");
        let settings = crate::Settings::parse(&settings).unwrap();
        let config = crate::Config::new(settings, ".".as_ref(), |_| Err(String::new())).unwrap();
        Workers::start(Upstreams::new(&config).unwrap()).unwrap()
    }

    /// The thread of the one who asks.
    fn here() -> Option<usize> {
        HERE.with(|here| here.get().map(|here| here.number))
    }

    #[tokio::test]
    async fn connections_go_where_there_are_fewest() {
        let workers = workers(3);
        let mut tasks = JoinSet::new();
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..6 {
            let tell = tell.clone();
            workers.spawn(&mut tasks, async move {
                tell.send(here()).unwrap();
                std::future::pending().await
            });
        }
        let mut places = Vec::new();
        for _ in 0..6 {
            places.push(told.recv().await.unwrap().unwrap());
        }
        places.sort_unstable();
        assert_eq!(places, [0, 0, 1, 1, 2, 2]);
        tasks.shutdown().await;
        assert!((0..3).all(|worker| workers.team.carried(worker) == 0), "what is over is no longer counted");
    }

    #[tokio::test]
    async fn streams_of_one_connection_do_not_all_stay_on_its_thread() {
        let workers = workers(2);
        let mut tasks = JoinSet::new();
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let spread = workers.spread();
        workers.spawn(&mut tasks, async move {
            for _ in 0..100 {
                let tell = tell.clone();
                spread.execute(async move {
                    tell.send(here()).unwrap();
                    std::future::pending::<()>().await;
                });
            }
        });
        let mut places = [0_usize; 2];
        for _ in 0..100 {
            places[told.recv().await.unwrap().unwrap()] += 1;
        }
        assert!(places[0].abs_diff(places[1]) <= UNEVEN + 2, "{places:?}");
    }

    #[tokio::test]
    async fn what_they_carry_is_dropped_with_them() {
        let workers = workers(1);
        let mut tasks = JoinSet::new();
        let (kept, gone) = oneshot::channel::<()>();
        workers.spawn(&mut tasks, async move {
            let _kept = kept;
            std::future::pending().await
        });
        drop(workers);
        assert!(gone.await.is_err());
    }
}
