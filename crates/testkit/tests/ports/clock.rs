use std::time::Duration;
use told_domain::time::{Date, Timestamp};
use told_ports::Clock as _;
use told_testkit::fake::clock::FakeClock;

fn make() -> (FakeClock, Date) {
    let today = Date::new(2026, 11, 30).expect("a day");
    (FakeClock::new(Timestamp::from_millisecond(1_000), today), today)
}

told_testkit::clock_contract!(make);

#[test]
fn time_moves_by_sleeps_and_by_hand_and_the_log_tells() {
    let (clock, today) = make();
    told_testkit::contract::block_on(async {
        clock.sleep(Duration::from_millis(5)).await;
        clock.sleep(Duration::from_micros(1)).await;
    });
    clock.advance(Duration::from_secs(1));
    assert_eq!(clock.now(), Timestamp::from_millisecond(2_006));
    assert_eq!(clock.sleeps(), [Duration::from_millis(5), Duration::from_micros(1)]);
    assert_eq!(clock.today(), today);
    let tomorrow = Date::new(2026, 12, 1).unwrap();
    clock.set_today(tomorrow);
    assert_eq!(clock.today(), tomorrow);
}
