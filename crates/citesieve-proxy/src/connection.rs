//! One connection: served until its end, asked to end early when the proxy stops, closed when no request comes.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper_util::server::graceful::GracefulConnection;
use pin_project_lite::pin_project;
use tokio::time::Instant;

use crate::alarm::Alarm;

/// What a connection and its listener share.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    ending: AtomicBool,
    asked: AtomicBool,
    /// Who polls the connection.
    waits: Mutex<Option<Waker>>,
}

impl Signal {
    /// A request has come.
    pub(crate) fn asked(&self) {
        if !self.asked.load(Ordering::Relaxed) {
            self.asked.store(true, Ordering::Relaxed);
        }
    }
}

/// The connections of a listener.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    signals: Mutex<HashMap<u64, Arc<Signal>>>,
    next: AtomicU64,
}

impl Connections {
    /// A new one.
    pub(crate) fn open(self: &Arc<Self>) -> Open {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let signal = Arc::new(Signal::default());
        self.signals.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::clone(&signal));
        Open { connections: Arc::clone(self), number, signal }
    }

    /// Asks all to end: after the requests that they have.
    pub(crate) fn end(&self) {
        for signal in self.signals.lock().unwrap_or_else(PoisonError::into_inner).values() {
            signal.ending.store(true, Ordering::SeqCst);
            if let Some(waker) = signal.waits.lock().unwrap_or_else(PoisonError::into_inner).take() {
                waker.wake();
            }
        }
    }
}

/// One of them, listed until it is dropped.
#[derive(Debug)]
pub(crate) struct Open {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) signal: Arc<Signal>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.connections.signals.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

pin_project! {
    /// A connection that is served. Polling it when nothing has changed costs it two comparisons.
    pub(crate) struct Served<C> {
        #[pin]
        connection: C,
        open: Open,
        // Who was last noted in the signal.
        noted: Option<Waker>,
        ending: bool,
        // Until the first request has come.
        alarm: Option<Alarm>,
    }
}

impl<C> Served<C> {
    /// Serves a connection whose first request has to come in this time.
    pub(crate) fn new(connection: C, open: Open, patience: Duration) -> Self {
        let alarm = Some(Alarm::new(Instant::now() + patience));
        Served { connection, open, noted: None, ending: false, alarm }
    }
}

impl<C: GracefulConnection> Future for Served<C> {
    /// `None`: no request came.
    type Output = Option<Result<(), C::Error>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let signal = &this.open.signal;
        if !*this.ending {
            if this.noted.as_ref().is_none_or(|noted| !noted.will_wake(cx.waker())) {
                *signal.waits.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
                *this.noted = Some(cx.waker().clone());
            }
            if signal.ending.load(Ordering::SeqCst) {
                *this.ending = true;
                this.connection.as_mut().graceful_shutdown();
            }
        }
        if let Poll::Ready(done) = Future::poll(this.connection.as_mut(), cx) {
            return Poll::Ready(Some(done));
        }
        if let Some(alarm) = this.alarm {
            if signal.asked.load(Ordering::Relaxed) {
                *this.alarm = None;
            } else if alarm.poll(cx).is_ready() {
                return Poll::Ready(None);
            }
        }
        Poll::Pending
    }
}
