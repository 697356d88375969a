//! What kinds of streams the adapters are: as the inner one is. Most of this is checked by being compiled.

use std::marker::{PhantomData, PhantomPinned};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use citesieve::{Policy, Verdict};
use citesieve_stream::{PiecesOnly, SieveExt, SievedBody, SievedInfallible, SievedText, TextEvent};
use citesieve_wire::Report;
use futures::{Stream, StreamExt};

use crate::support::sources;

/// A stream that is whatever `M` is, of items `T`.
struct Like<T, M>(PhantomData<fn() -> T>, PhantomData<M>);

impl<T, M> Stream for Like<T, M> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<T>> {
        Poll::Ready(None)
    }
}

/// Fails to compile, as ambiguous, for a type that has the trait.
macro_rules! lacks {
    ($type:ty, $bound:path) => {{
        trait Ambiguous<A> {
            fn some() {}
        }
        impl<T: ?Sized> Ambiguous<()> for T {}
        struct Has;
        impl<T: ?Sized + $bound> Ambiguous<Has> for T {}
        <$type as Ambiguous<_>>::some()
    }};
}

fn has<T: Send + Sync + Unpin>() {}

type Text<M> = Like<Result<String, std::io::Error>, M>;
type Body<M> = Like<Result<Bytes, std::io::Error>, M>;
type Sure<M> = Like<String, M>;
type TextOnly<M> = PiecesOnly<SievedText<Text<M>>, fn(Box<Verdict>)>;
type BytesOnly<M> = PiecesOnly<SievedBody<Body<M>>, fn(Report)>;

#[test]
fn unpin_send_and_sync_as_the_inner_stream() {
    has::<SievedText<Text<()>>>();
    has::<SievedBody<Body<()>>>();
    has::<SievedInfallible<Sure<()>>>();
    has::<TextOnly<()>>();
    has::<BytesOnly<()>>();
    has::<TextEvent>();

    lacks!(SievedText<Text<PhantomPinned>>, Unpin);
    lacks!(SievedBody<Body<PhantomPinned>>, Unpin);
    lacks!(SievedInfallible<Sure<PhantomPinned>>, Unpin);
    lacks!(TextOnly<PhantomPinned>, Unpin);
    lacks!(BytesOnly<PhantomPinned>, Unpin);

    lacks!(SievedText<Text<Rc<()>>>, Send);
    lacks!(SievedBody<Body<Rc<()>>>, Send);
    lacks!(SievedInfallible<Sure<Rc<()>>>, Send);
    lacks!(TextOnly<Rc<()>>, Send);

    lacks!(SievedText<Text<std::cell::Cell<()>>>, Sync);
    lacks!(SievedBody<Body<std::cell::Cell<()>>>, Sync);
    lacks!(BytesOnly<std::cell::Cell<()>>, Sync);
}

/// Items need not be `Unpin`, nor errors anything at all; whatever is text or bytes will do.
#[tokio::test(flavor = "current_thread")]
async fn pinned_streams_and_items_of_all_kinds() {
    let deltas = async_deltas().map(Ok::<_, Rc<PhantomPinned>>);
    let mut stream = std::pin::pin!(deltas.sieve(Policy::default(), sources()));
    let mut shown = String::new();
    while let Some(Ok(event)) = stream.next().await {
        shown += event.text().unwrap_or_default();
    }
    assert_eq!(shown, "Due in gold.");

    let boxed: Pin<Box<dyn Stream<Item = &'static str> + Send>> = Box::pin(async_deltas());
    let events: Vec<TextEvent> = boxed.sieve_infallible(Policy::default(), sources()).collect().await;
    assert_eq!(events.iter().filter_map(TextEvent::text).collect::<String>(), "Due in gold.");
    assert_eq!(events.last().and_then(TextEvent::verdict).map(|verdict| verdict.markers.fabricated), Some(1));

    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let answer = tokio_stream::wrappers::ReceiverStream::new(receiver).sieve_infallible(Policy::default(), sources());
    // Runs on any thread: it is `Send`.
    let reader = tokio::spawn(answer.collect::<Vec<_>>());
    for delta in ["Due [", "9", "]."] {
        sender.send(delta.to_owned()).await.unwrap();
    }
    drop(sender);
    assert_eq!(reader.await.unwrap().iter().filter_map(TextEvent::text).collect::<String>(), "Due.");
}

/// A stream that is not `Unpin`.
fn async_deltas() -> impl Stream<Item = &'static str> {
    futures::stream::unfold(["].", "9", "Due in gold ["].to_vec(), |mut left| async move {
        tokio::task::yield_now().await;
        left.pop().map(|delta| (delta, left))
    })
}
