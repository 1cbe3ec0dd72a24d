//! Random schedules: the checker decides which thread goes on at every lock.

use crate::Refreshable;
use shuttle::{
    future,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

/// What is loaded: a number that only grows, looked at in two steps.
#[derive(Default)]
struct World {
    version: AtomicU64,
    /// A version whose change was invalidated, and so must be seen.
    published: AtomicU64,
    loading: AtomicBool,
    loads: AtomicU64,
}

/// Of so many loads one fails.
const FAILS_EVERY: u64 = 4;

async fn look(world: Arc<World>) -> Result<u64, u64> {
    assert!(!world.loading.swap(true, Ordering::SeqCst), "two loads at once");
    let look = Looking(world);
    let number = look.0.loads.fetch_add(1, Ordering::SeqCst);
    future::yield_now().await;
    let version = look.0.version.load(Ordering::SeqCst);
    future::yield_now().await;
    if number % FAILS_EVERY == FAILS_EVERY - 1 { Err(version) } else { Ok(version) }
}

/// Ends with its load, also where that is dropped half way.
struct Looking(Arc<World>);

impl Drop for Looking {
    fn drop(&mut self) {
        self.0.loading.store(false, Ordering::SeqCst);
    }
}

type Cell = Refreshable<u64, u64>;

/// A value or a failure that a caller gets was looked up after all that was invalidated before it came.
fn reader(world: Arc<World>, cell: Arc<Cell>) {
    for _ in 0..2 {
        let published = world.published.load(Ordering::SeqCst);
        let looked = future::block_on(cell.get(|_| look(Arc::clone(&world))));
        let (Ok(version) | Err(version)) = looked;
        assert!(version >= published, "{version} after {published}");
    }
}

/// Changes the world, and then finds its change.
fn writer(world: Arc<World>, cell: Arc<Cell>) {
    for _ in 0..2 {
        let written = world.version.fetch_add(1, Ordering::SeqCst) + 1;
        cell.invalidate();
        world.published.fetch_max(written, Ordering::SeqCst);
        let looked = future::block_on(cell.get(|_| look(Arc::clone(&world))));
        let (Ok(version) | Err(version)) = looked;
        assert!(version >= written, "{version} is older than {written}");
    }
}

/// Comes, drives a load a little, and goes.
fn passer_by(world: Arc<World>, cell: Arc<Cell>) {
    for polls in 0..3 {
        let get = cell.get(|_| look(Arc::clone(&world)));
        future::block_on(give_up_after(polls, get));
    }
}

async fn give_up_after(polls: u32, get: impl Future<Output = Result<u64, u64>>) {
    let mut get = std::pin::pin!(get);
    let mut left = polls;
    std::future::poll_fn(move |context| {
        if left == 0 {
            return std::task::Poll::Ready(());
        }
        left -= 1;
        let polled = get.as_mut().poll(context).map(drop);
        // Whoever gives up does so whether or not the load has news.
        context.waker().wake_by_ref();
        polled
    })
    .await;
}

fn everybody() {
    let (world, cell) = (Arc::new(World::default()), Arc::new(Cell::new()));
    let actors: [fn(Arc<World>, Arc<Cell>); 4] = [reader, writer, passer_by, writer];
    let threads = actors.map(|actor| {
        let (world, cell) = (Arc::clone(&world), Arc::clone(&cell));
        thread::spawn(move || actor(world, cell))
    });
    for thread in threads {
        thread.join().expect("no actor fails");
    }
    // Whatever happened, nothing is half done: the next get ends, and without a failure of another's.
    let loads = world.loads.load(Ordering::SeqCst);
    let last = future::block_on(cell.get(|_| look(Arc::clone(&world))));
    let loaded = world.loads.load(Ordering::SeqCst) - loads;
    assert!(loaded <= 1, "one get loads once");
    let (Ok(version) | Err(version)) = last;
    assert_eq!(version, world.version.load(Ordering::SeqCst));
}

#[test]
fn r_ref_4_and_5_hold_in_random_schedules() {
    shuttle::check_random(everybody, 1_000);
}

#[test]
fn r_ref_4_and_5_hold_in_schedules_with_few_switches() {
    shuttle::check_pct(everybody, 1_000, 3);
}
