//! Loads whose steps and ends a test decides, and callers that it polls by hand.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};
use told_refreshable::Refreshable;

/// The value that a load brings is its number, and so is its failure.
pub(crate) type Cell = Refreshable<u32, u32>;

/// The world that is loaded from.
#[derive(Clone, Default)]
pub(crate) struct Loads(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    begun: u32,
    /// The ends that the test gave, for the load under way.
    ends: VecDeque<bool>,
    waker: Option<Waker>,
    log: Vec<Load>,
    under_way: bool,
}

/// What happened to the loads, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// A load began, and was given this last value.
    Began(u32, Option<u32>),
    /// It ended well or not.
    Ended(u32, bool),
    /// It was dropped before its end.
    Dropped(u32),
}

impl Loads {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().expect("no test panics with the lock")
    }

    /// The loader to hand to `get`.
    pub(crate) fn load(
        &self,
        last: Option<u32>,
    ) -> impl Future<Output = Result<u32, u32>> + Send + use<> {
        let number = {
            let mut state = self.state();
            assert!(!state.under_way, "a load begins while another is under way");
            state.under_way = true;
            state.begun += 1;
            let number = state.begun;
            state.log.push(Load::Began(number, last));
            number
        };
        let guard = Dropped { loads: self.clone(), number, ended: false };
        guard.run()
    }

    /// Lets the load under way come to its end when it is polled next.
    pub(crate) fn end(&self, well: bool) {
        let waker = {
            let mut state = self.state();
            state.ends.push_back(well);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) fn under_way(&self) -> bool {
        self.state().under_way
    }

    /// Whether the load under way has an end to come to.
    pub(crate) fn can_end(&self) -> bool {
        !self.state().ends.is_empty()
    }

    /// What happened since this was asked last.
    pub(crate) fn take_log(&self) -> Vec<Load> {
        std::mem::take(&mut self.state().log)
    }
}

struct Dropped {
    loads: Loads,
    number: u32,
    ended: bool,
}

impl Dropped {
    async fn run(mut self) -> Result<u32, u32> {
        let loads = self.loads.clone();
        let well = poll_fn(|context| {
            let mut state = loads.state();
            match state.ends.pop_front() {
                Some(well) => Poll::Ready(well),
                None => {
                    state.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
        self.ended = true;
        let mut state = loads.state();
        state.under_way = false;
        state.log.push(Load::Ended(self.number, well));
        if well { Ok(self.number) } else { Err(self.number) }
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut state = self.loads.state();
        state.under_way = false;
        state.ends.clear();
        state.log.push(Load::Dropped(self.number));
    }
}

/// A `get` under way.
pub(crate) struct Caller<'c> {
    get: Pin<Box<dyn Future<Output = Result<u32, u32>> + Send + 'c>>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl<'c> Caller<'c> {
    /// It begins when it is polled first.
    pub(crate) fn new(cell: &'c Cell, loads: &Loads) -> Self {
        let loads = loads.clone();
        let get = Box::pin(cell.get(move |last| loads.load(last)));
        Self { get, woken: Arc::new(Woken(AtomicBool::new(true))) }
    }

    pub(crate) fn poll(&mut self) -> Poll<Result<u32, u32>> {
        self.woken.0.store(false, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(&self.woken));
        self.get.as_mut().poll(&mut Context::from_waker(&waker))
    }

    /// Whether a runtime would poll it.
    pub(crate) fn is_woken(&self) -> bool {
        self.woken.0.load(Ordering::SeqCst)
    }
}
