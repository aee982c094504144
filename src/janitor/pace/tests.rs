use super::*;

const MS: Duration = Duration::from_millis(1);

/// With a target of 2 ms, and rests of three times the work.
fn at_two_milliseconds(options: PaceOptions) -> Pace {
    Pace::new(options, Dialect::Sqlite)
}

#[test]
fn the_size_follows_the_time() {
    let mut pace = at_two_milliseconds(PaceOptions::default());
    assert_eq!(pace.size(), 100);
    pace.learn(MS / 10, false);
    assert_eq!(pace.size(), 200);
    for _ in 0..20 {
        pace.learn(MS / 10, false);
    }
    assert_eq!(pace.size(), 10_000);
    pace.learn(4 * MS, false);
    assert_eq!(pace.size(), 5_000);
    pace.learn(MS / 10, true);
    assert_eq!(pace.size(), 2_500);
    pace.learn(Duration::ZERO, false);
    assert_eq!(pace.size(), 5_000);
}

#[test]
fn what_was_too_much_is_not_tried_again() {
    let mut pace =
        at_two_milliseconds(PaceOptions { min_batch: 300, max_batch: 1_000, ..PaceOptions::default() });
    pace.learn(MS / 10, false);
    assert_eq!(pace.size(), 600);
    // Below the smallest batch, too.
    for smaller in [300, 150, 75] {
        assert!(pace.give_in());
        assert_eq!(pace.size(), smaller);
    }
    pace.learn(MS / 10, false);
    assert_eq!(pace.size(), 75);
    for _ in 0..6 {
        assert!(pace.give_in());
    }
    assert_eq!(pace.size(), 1);
    assert!(!pace.give_in());
    // It was one row.
    pace.recover();
    for larger in [300, 600] {
        pace.learn(MS / 10, false);
        assert_eq!(pace.size(), larger);
    }
}

#[test]
fn rests_by_duty_and_by_rate() {
    let pace = at_two_milliseconds(PaceOptions::default());
    assert_eq!(pace.rest(1_000, 2 * MS), 6 * MS);
    let flat_out = at_two_milliseconds(PaceOptions { duty: Some(1.0), ..PaceOptions::default() });
    assert_eq!(flat_out.rest(1_000, 2 * MS), Duration::ZERO);
    let limited = at_two_milliseconds(PaceOptions {
        duty: Some(1.0),
        max_rows_per_second: Some(1_000),
        ..PaceOptions::default()
    });
    assert_eq!(limited.rest(1_000, 200 * MS), 800 * MS);
}

#[test]
fn slow_batches_that_cannot_shrink_make_it_rest_longer() {
    let mut pace = at_two_milliseconds(PaceOptions::default());
    assert_eq!(pace.rest(100, 10 * MS), 30 * MS);
    for (batch, times) in [(1, 2), (2, 3), (20, 8)] {
        let mut pace = pace.clone();
        for _ in 0..batch {
            pace.learn(10 * MS, false);
        }
        assert_eq!(pace.rest(100, 10 * MS), 30 * MS * times, "after {batch}");
    }
    for _ in 0..3 {
        pace.learn(10 * MS, false);
    }
    for _ in 0..3 {
        pace.learn(MS, false);
    }
    assert_eq!(pace.rest(100, 10 * MS), 30 * MS, "it recovers");
    let flat_out = PaceOptions { duty: Some(1.0), ..PaceOptions::default() };
    let mut pace = at_two_milliseconds(flat_out);
    pace.learn(10 * MS, false);
    assert_eq!(pace.rest(100, 10 * MS), Duration::ZERO, "a maintenance window is not slowed down");
}

#[test]
fn a_fixed_size_stays() {
    let mut pace = at_two_milliseconds(PaceOptions { min_batch: 7, max_batch: 7, ..PaceOptions::default() });
    pace.learn(Duration::from_secs(9), true);
    assert_eq!(pace.size(), 7);
    pace.learn(Duration::ZERO, false);
    assert_eq!(pace.size(), 7);
}
