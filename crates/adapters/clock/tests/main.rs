//! The system's clock passes the suite of its port.

use told_clock::SystemClock;
use told_domain::time::Date;

fn make() -> (SystemClock, Date) {
    let now = jiff::Zoned::now();
    (SystemClock::new(), Date::new(now.year(), now.month(), now.day()).expect("a day"))
}

told_testkit::clock_contract!(make);
