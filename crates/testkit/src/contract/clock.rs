//! The contract of the `Clock` port, one check a clause.

use std::{
    future::Future as _,
    pin::pin,
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};
use told_domain::time::Date;
use told_ports::Clock;

/// Runs the suite on clocks that `make` gives: `clock_contract!(make)`, where `make()` is a fresh
/// clock and the day that it should show.
#[macro_export]
macro_rules! clock_contract {
    ($make:expr) => {
        $crate::clock_contract! { @clauses $make;
            cl_1_now_never_goes_backwards,
            cl_2_today_is_the_users_own_date,
            cl_3_a_sleep_is_never_short_and_a_dropped_one_leaves_nothing,
        }
    };
    (@clauses $make:expr; $($clause:ident,)*) => {
        $(#[test] fn $clause() {
            let (clock, today) = $make();
            $crate::contract::clock::$clause(std::sync::Arc::new(clock), today);
        })*
    };
}

/// CL-1.
pub fn cl_1_now_never_goes_backwards(clock: Arc<dyn Clock>, _: Date) {
    let first = clock.now();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let clock = Arc::clone(&clock);
            std::thread::spawn(move || {
                let mut last = clock.now();
                for _ in 0..1000 {
                    let now = clock.now();
                    assert!(now >= last, "{now} after {last}");
                    last = now;
                }
                last
            })
        })
        .collect();
    for thread in threads {
        let last = thread.join().unwrap_or(first);
        assert!(last >= first);
        assert!(clock.now() >= last, "a moment that one thread saw is past for all");
    }
}

/// CL-2.
pub fn cl_2_today_is_the_users_own_date(clock: Arc<dyn Clock>, today: Date) {
    assert_eq!(clock.today(), today);
}

/// CL-3.
pub fn cl_3_a_sleep_is_never_short_and_a_dropped_one_leaves_nothing(
    clock: Arc<dyn Clock>,
    _: Date,
) {
    crate::contract::block_on(async {
        for milliseconds in [0, 1, 20] {
            let before = clock.now().as_millisecond();
            clock.sleep(Duration::from_millis(milliseconds)).await;
            let passed = clock.now().as_millisecond() - before;
            // The clock shows whole milliseconds, so one may be cut off.
            assert!(passed + 1 >= milliseconds as i64, "{passed} of {milliseconds} ms");
        }
        {
            let long = pin!(clock.sleep(Duration::from_secs(3600)));
            let mut long = long;
            let _ = long.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
        // The dropped sleep is no hindrance to the next.
        clock.sleep(Duration::from_millis(1)).await;
    });
}
