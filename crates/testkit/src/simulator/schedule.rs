//! The executor: futures on one thread, polled in an order that a seed decides.

use std::{
    cell::Cell,
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

/// More polls than any operation over the fakes needs: what comes here waits for ever.
const POLLS_MAX: usize = 1_000_000;

thread_local! {
    static TASK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Which task of a schedule runs now.
#[must_use]
pub fn task() -> Option<usize> {
    TASK.get()
}

/// A future of a schedule.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs one future to its end. Nothing over the fakes waits for anything outside.
///
/// # Panics
/// Where the future waits for ever.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..POLLS_MAX {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("the future waits for ever");
}

/// Polls `tasks` in the order that `random` decides until all have ended, or until `polls` polls were
/// made: the rest is dropped where it stands, as a killed process leaves it.
///
/// # Panics
/// Where a task waits for ever.
pub fn run<T>(
    mut tasks: Vec<Task<'_, T>>,
    random: &mut fastrand::Rng,
    polls: Option<usize>,
) -> Vec<Option<T>> {
    let mut outputs: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let mut left: Vec<usize> = (0..tasks.len()).collect();
    let mut context = Context::from_waker(Waker::noop());
    for poll in 0..POLLS_MAX {
        if left.is_empty() || polls.is_some_and(|polls| poll >= polls) {
            return outputs;
        }
        let turn = random.usize(..left.len());
        let task = left[turn];
        TASK.set(Some(task));
        let polled = tasks[task].as_mut().poll(&mut context);
        TASK.set(None);
        if let Poll::Ready(output) = polled {
            outputs[task] = Some(output);
            left.swap_remove(turn);
        }
    }
    panic!("a task waits for ever");
}

/// Lets other tasks run once.
pub async fn others_run() {
    let mut polled = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Polls a future so many times at most: then its caller goes away.
pub async fn cut<F: Future>(future: F, polls: Option<usize>) -> Option<F::Output> {
    let mut future = Some(Box::pin(future));
    let mut left = polls.unwrap_or(POLLS_MAX);
    std::future::poll_fn(move |context| {
        let Some(polled) = future.as_mut().filter(|_| left > 0) else {
            future = None;
            return Poll::Ready(None);
        };
        left -= 1;
        polled.as_mut().poll(context).map(Some)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn order(seed: u64, polls: Option<usize>) -> (Vec<u8>, Vec<Option<u8>>) {
        let seen = RefCell::new(Vec::new());
        let task = |name: u8| -> Task<'_, u8> {
            let seen = &seen;
            Box::pin(async move {
                for _ in 0..3 {
                    seen.borrow_mut().push(name);
                    others_run().await;
                }
                name
            })
        };
        let tasks = vec![task(1), task(2)];
        let outputs = run(tasks, &mut fastrand::Rng::with_seed(seed), polls);
        (seen.into_inner(), outputs)
    }

    #[test]
    fn one_seed_is_one_order() {
        assert_eq!(order(7, None), order(7, None));
        let orders: std::collections::BTreeSet<_> = (0..50).map(|s| order(s, None).0).collect();
        assert!(orders.len() > 5, "{} orders", orders.len());
        assert_eq!(order(7, None).1, [Some(1), Some(2)]);
    }

    #[test]
    fn a_kill_leaves_tasks_where_they_stand() {
        let (seen, outputs) = order(3, Some(2));
        assert_eq!(seen.len(), 2);
        assert_eq!(outputs, [None, None]);
    }
}
