//! The rules, one by one.

use super::loads::{Caller, Cell, Load, Loads};
use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};
use told_refreshable::Refreshable;

/// The port behind a loader.
#[mockall::automock]
trait Port {
    fn look(&self, last: Option<u32>) -> Result<u32, String>;
}

async fn look(port: Arc<MockPort>, last: Option<u32>) -> Result<u32, String> {
    port.look(last)
}

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn r_ref_1_get_on_fresh_makes_no_port_call() {
    let mut port = MockPort::new();
    port.expect_look().withf(Option::is_none).times(1).return_const(Ok(7));
    let (port, cell) = (Arc::new(port), Refreshable::new());
    for _ in 0..1_000 {
        assert_eq!(now(cell.get(|last| look(Arc::clone(&port), last))), Ok(7));
    }
}

#[test]
fn r_ref_2_a_failure_leaves_the_state_and_is_tried_again() {
    let mut port = MockPort::new();
    let mut sequence = mockall::Sequence::new();
    let looks: [(Option<u32>, Result<u32, String>); 4] =
        [(None, Err("a".into())), (None, Ok(1)), (Some(1), Err("b".into())), (Some(1), Ok(2))];
    for (last, result) in looks.clone() {
        let expected = port.expect_look().withf(move |given| *given == last);
        expected.times(1).in_sequence(&mut sequence).return_const(result);
    }
    let (port, cell) = (Arc::new(port), Refreshable::new());
    for (index, (_, result)) in looks.into_iter().enumerate() {
        if index == 2 {
            cell.invalidate();
        }
        assert_eq!(now(cell.get(|last| look(Arc::clone(&port), last))), result);
    }
}

#[test]
fn r_ref_3_many_invalidations_are_one() {
    let mut port = MockPort::new();
    port.expect_look().times(2).return_const(Ok(7));
    let (port, cell) = (Arc::new(port), Refreshable::new());
    // Nothing to invalidate is nothing done.
    cell.invalidate();
    assert_eq!(now(cell.get(|last| look(Arc::clone(&port), last))), Ok(7));
    for _ in 0..3 {
        cell.invalidate();
    }
    for _ in 0..3 {
        assert_eq!(now(cell.get(|last| look(Arc::clone(&port), last))), Ok(7));
    }
}

#[test]
fn r_ref_4_an_invalidation_during_a_load_is_for_the_next_get() {
    let (cell, loads) = (Cell::new(), Loads::default());
    let mut first = Caller::new(&cell, &loads);
    assert!(first.poll().is_pending());
    cell.invalidate();
    let mut second = Caller::new(&cell, &loads);
    assert!(second.poll().is_pending());
    loads.end(true);
    assert!(first.is_woken() && second.is_woken());
    // The one who came before the invalidation is served by what was under way; the other drives it
    // as well, and then loads for itself.
    assert!(second.poll().is_pending());
    assert_eq!(first.poll(), Poll::Ready(Ok(1)));
    loads.end(true);
    assert_eq!(second.poll(), Poll::Ready(Ok(2)));
    let log =
        [Load::Began(1, None), Load::Ended(1, true), Load::Began(2, Some(1)), Load::Ended(2, true)];
    assert_eq!(loads.take_log(), log);
}

/// One who waits for others' loads only is not overtaken for ever: it takes the first that counts.
#[test]
fn r_ref_4_a_caller_under_constant_invalidation_is_served() {
    let (cell, loads) = (Cell::new(), Loads::default());
    let mut first = Caller::new(&cell, &loads);
    assert!(first.poll().is_pending());
    cell.invalidate();
    let mut late = Caller::new(&cell, &loads);
    assert!(late.poll().is_pending());
    loads.end(true);
    assert_eq!(first.poll(), Poll::Ready(Ok(1)));
    let mut second = Caller::new(&cell, &loads);
    assert!(second.poll().is_pending());
    cell.invalidate();
    // The second load began after the late one came: it counts, whatever was invalidated since.
    assert!(late.poll().is_pending());
    loads.end(true);
    assert_eq!(late.poll(), Poll::Ready(Ok(2)));
}

#[test]
fn r_ref_5_a_hundred_callers_share_one_load_and_its_failure() {
    for well in [true, false] {
        let (cell, loads) = (Cell::new(), Loads::default());
        let mut callers: Vec<_> = (0..100).map(|_| Caller::new(&cell, &loads)).collect();
        assert!(callers.iter_mut().all(|caller| caller.poll().is_pending()));
        loads.end(well);
        let outcome = if well { Ok(1) } else { Err(1) };
        for caller in &mut callers {
            assert!(caller.is_woken());
            assert_eq!(caller.poll(), Poll::Ready(outcome));
        }
        assert_eq!(loads.take_log(), [Load::Began(1, None), Load::Ended(1, well)]);
    }
}

/// A load of several awaits. Each caller in turn goes away at each of them.
#[test]
fn r_ref_5_cancelled_at_every_await_the_others_are_served() {
    const AWAITS: usize = 4;
    for cancelled_at in 0..AWAITS {
        for driver in [true, false] {
            let cell = Refreshable::<u32, u32>::new();
            let load = |_| async {
                for _ in 0..AWAITS {
                    yield_once().await;
                }
                Ok(7)
            };
            let mut goes = Box::pin(cell.get(load));
            let mut stays = Box::pin(cell.get(load));
            let mut context = Context::from_waker(Waker::noop());
            if !driver {
                assert!(stays.as_mut().poll(&mut context).is_pending());
            }
            for _ in 0..cancelled_at {
                assert!(goes.as_mut().poll(&mut context).is_pending());
                if driver && cancelled_at == 1 {
                    assert!(stays.as_mut().poll(&mut context).is_pending());
                }
            }
            drop(goes);
            let served = (0..=2 * AWAITS).find_map(|_| match stays.as_mut().poll(&mut context) {
                Poll::Ready(result) => Some(result),
                Poll::Pending => None,
            });
            assert_eq!(served, Some(Ok(7)), "cancelled at {cancelled_at}, driver {driver}");
            assert_eq!(now(cell.get(|_| async { Err(0) })), Ok(7), "nothing is half done");
        }
    }
}

async fn yield_once() {
    let mut yielded = false;
    poll_fn(move |context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn r_ref_5_who_goes_alone_takes_the_load_along_and_leaves_the_state() {
    let (cell, loads) = (Cell::new(), Loads::default());
    let mut caller = Caller::new(&cell, &loads);
    assert!(caller.poll().is_pending());
    drop(caller);
    assert_eq!(loads.take_log(), [Load::Began(1, None), Load::Dropped(1)]);
    let mut next = Caller::new(&cell, &loads);
    assert!(next.poll().is_pending());
    loads.end(true);
    assert_eq!(next.poll(), Poll::Ready(Ok(2)));
}

#[test]
fn r_ref_5_the_one_who_waits_drives_on_when_the_driver_goes() {
    let (cell, loads) = (Cell::new(), Loads::default());
    let (mut driver, mut waiter) = (Caller::new(&cell, &loads), Caller::new(&cell, &loads));
    assert!(driver.poll().is_pending());
    assert!(waiter.poll().is_pending());
    loads.end(true);
    // The driver was woken too, and goes away instead.
    drop(driver);
    assert!(waiter.is_woken());
    assert_eq!(waiter.poll(), Poll::Ready(Ok(1)));
}

/// One asks while the other has the load in hand, and that other is never polled again.
#[test]
fn r_ref_5_who_asked_in_vain_is_woken_when_the_load_is_put_back() {
    let cell: &'static Cell = Box::leak(Box::new(Cell::new()));
    let waiter = Arc::new(Mutex::new(Caller::new(cell, &Loads::default())));
    let asks = Arc::clone(&waiter);
    let mut driver = Box::pin(cell.get(move |_| {
        let asks = Arc::clone(&asks);
        let mut asked = false;
        poll_fn(move |context| {
            if std::mem::replace(&mut asked, true) {
                return Poll::Ready(Ok(7));
            }
            // It has news, and only then does the other one come.
            context.waker().wake_by_ref();
            assert!(asks.lock().unwrap().poll().is_pending());
            Poll::Pending
        })
    }));
    assert!(driver.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let mut waiter = waiter.lock().unwrap();
    assert!(waiter.is_woken());
    assert_eq!(waiter.poll(), Poll::Ready(Ok(7)));
}

#[test]
fn a_load_that_panics_does_so_in_its_driver_and_another_begins() {
    let (cell, loads) = (Cell::new(), Loads::default());
    for panics_at_once in [true, false] {
        cell.invalidate();
        let mut broken = Box::pin(cell.get(|_| {
            assert!(!panics_at_once, "before there is a load");
            async {
                yield_once().await;
                yield_once().await;
                panic!("in the middle of it")
            }
        }));
        let mut poll = || {
            let mut context = Context::from_waker(Waker::noop());
            catch_unwind(AssertUnwindSafe(|| broken.as_mut().poll(&mut context).is_pending()))
        };
        let mut waiter = Caller::new(&cell, &loads);
        if !panics_at_once {
            assert!(matches!(poll(), Ok(true)));
            assert!(waiter.poll().is_pending());
        }
        assert!(poll().is_err());
        assert!(waiter.is_woken());
        assert!(waiter.poll().is_pending());
        loads.end(true);
        assert!(matches!(waiter.poll(), Poll::Ready(Ok(_))));
    }
}

#[test]
fn a_get_can_be_sent_to_another_thread() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let cell = Refreshable::<u32, u32>::new();
    assert_eq!(now(sent(cell.get(|_| async { Ok(1) }))), Ok(1));
}
