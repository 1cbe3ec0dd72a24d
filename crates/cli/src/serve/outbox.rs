//! Answers to a stream, one after another, in bounded memory.

use std::{
    fmt,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

/// Answers that wait at most, and their bytes. One that is larger than all the room goes alone.
const ANSWERS: usize = 256;
const BYTES: u32 = 16 * 1024 * 1024;
/// What is written at a time: how progress is noticed.
const CHUNK: usize = 64 * 1024;
/// A reader that takes nothing for so long is gone.
pub(super) const STALL: Duration = Duration::from_secs(60);

/// Why no answer can be written any more.
#[derive(Clone, Debug)]
pub(crate) enum Broken {
    /// The stream failed; mostly its reader is gone.
    Failed(Arc<io::Error>),
    /// Its reader took nothing for so long.
    Stalled(Duration),
}

/// The way out for every answer. Clones share it.
#[derive(Clone)]
pub(super) struct Outbox {
    queue: mpsc::Sender<Parcel>,
    room: Arc<Semaphore>,
    state: watch::Receiver<State>,
}

struct Parcel {
    bytes: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

#[derive(Clone, Debug)]
enum State {
    Open,
    /// All is written.
    Done,
    Broken(Broken),
}

impl Outbox {
    /// Starts the writing thread, and the watch over it.
    pub(super) fn start(output: impl Write + Send + 'static, stall: Duration) -> io::Result<Self> {
        let (queue, parcels) = mpsc::channel(ANSWERS);
        let (say, state) = watch::channel(State::Open);
        let say = Arc::new(say);
        let progress = Arc::new(AtomicU64::new(0));
        tokio::spawn(look_for_stall(say.clone(), progress.clone(), stall));
        std::thread::Builder::new()
            .name("told-output".to_owned())
            .spawn(move || write_all(output, parcels, &say, &progress))?;
        Ok(Self { queue, room: Arc::new(Semaphore::new(BYTES as usize)), state })
    }

    /// Gives an answer, a line with its end, to the writer; waits for room. Where the stream is
    /// broken the answer is dropped.
    pub(super) async fn send(&self, bytes: Vec<u8>) {
        let cost = u32::try_from(bytes.len()).unwrap_or(BYTES).clamp(1, BYTES);
        let put = async {
            // The semaphore is never closed.
            let room = self.room.clone().acquire_many_owned(cost).await.ok();
            // The queue closes where the stream breaks.
            self.queue.send(Parcel { bytes, _room: room }).await.ok();
        };
        tokio::select! {
            biased;
            _ = self.broken() => {}
            () = put => {}
        }
    }

    /// Waits until the stream breaks; without end where it does not.
    pub(super) async fn broken(&self) -> Broken {
        let mut state = self.state.clone();
        loop {
            if let State::Broken(broken) = &*state.borrow_and_update() {
                return broken.clone();
            }
            if state.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits until all that was sent is written. No other clone may be left.
    pub(super) async fn finish(self) -> Result<(), Broken> {
        let Self { queue, room: _, mut state } = self;
        drop(queue);
        match state.wait_for(|state| !matches!(state, State::Open)).await.as_deref() {
            Ok(State::Broken(broken)) => Err(broken.clone()),
            Ok(State::Open | State::Done) | Err(_) => Ok(()),
        }
    }
}

fn write_all(
    mut output: impl Write,
    mut parcels: mpsc::Receiver<Parcel>,
    say: &watch::Sender<State>,
    progress: &AtomicU64,
) {
    while let Some(parcel) = parcels.blocking_recv() {
        for chunk in parcel.bytes.chunks(CHUNK) {
            // Odd while a write is under way.
            progress.fetch_add(1, Ordering::Relaxed);
            let written = output.write_all(chunk).and_then(|()| output.flush());
            progress.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = written {
                say.send_replace(State::Broken(Broken::Failed(Arc::new(error))));
                return;
            }
        }
    }
    say.send_if_modified(|state| {
        let open = matches!(state, State::Open);
        if open {
            *state = State::Done;
        }
        open
    });
}

/// Ends the outbox whose writer stands in one write for the whole of `stall`.
async fn look_for_stall(say: Arc<watch::Sender<State>>, progress: Arc<AtomicU64>, stall: Duration) {
    let mut before = progress.load(Ordering::Relaxed);
    while matches!(&*say.borrow(), State::Open) {
        tokio::time::sleep(stall).await;
        let now = progress.load(Ordering::Relaxed);
        if now == before && now % 2 == 1 {
            say.send_replace(State::Broken(Broken::Stalled(stall)));
        }
        before = now;
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "the answers cannot be written: {error}"),
            Self::Stalled(after) => {
                write!(f, "the host took no answer for {} seconds", after.as_secs())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc as blocking;

    /// Takes what it is given once it may.
    struct Slow(blocking::Receiver<()>, blocking::Sender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.1.send(bytes.to_vec()).ok();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn all_that_was_sent_is_written_in_order() {
        let (allow, allowed) = blocking::channel();
        let (written, read) = blocking::channel();
        let outbox = Outbox::start(Slow(allowed, written), STALL).unwrap();
        outbox.send(b"1\n".to_vec()).await;
        outbox.send(b"2\n".to_vec()).await;
        for _ in 0..2 {
            allow.send(()).unwrap();
        }
        outbox.finish().await.unwrap();
        assert_eq!(read.try_iter().collect::<Vec<_>>().concat(), b"1\n2\n");
    }

    #[tokio::test]
    async fn a_reader_that_is_gone_breaks_it_and_nobody_waits() {
        let (allow, allowed) = blocking::channel();
        let outbox = Outbox::start(Slow(allowed, blocking::channel().0), STALL).unwrap();
        drop(allow);
        for _ in 0..2 * ANSWERS {
            outbox.send(vec![b'x'; CHUNK]).await;
        }
        assert!(matches!(outbox.broken().await, Broken::Failed(_)));
        assert!(outbox.finish().await.is_err());
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_breaks_it_before_it_costs_memory() {
        let (allow, allowed) = blocking::channel();
        let stall = Duration::from_millis(20);
        let outbox = Outbox::start(Slow(allowed, blocking::channel().0), stall).unwrap();
        // More than there is room for: the last ones wait until the watch gives up.
        for _ in 0..20 {
            outbox.send(vec![b'x'; 1024 * 1024]).await;
        }
        assert!(matches!(outbox.broken().await, Broken::Stalled(_)));
        drop(allow);
    }
}
