//! How large a batch is and how long to rest after it, so that the API beside it does not suffer.

use std::time::Duration;

use crate::store::Dialect;

/// How hard a pass may work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceOptions {
    /// The smallest batch, in rows.
    pub min_batch: u32,
    /// The largest batch, in rows.
    pub max_batch: u32,
    /// How long a batch should take. The size follows the time it took. `None` is what suits the
    /// database: 500 µs on a server, whose other clients share its processors with the purge; 2 ms on
    /// SQLite, where a transaction costs more, however small it is.
    pub target: Option<Duration>,
    /// The share of the time that is work, above 0 and up to 1. `None` is what suits the database: 0.05 on
    /// a server, 0.25 on SQLite.
    pub duty: Option<f64>,
    /// Never faster than this.
    pub max_rows_per_second: Option<u32>,
}

impl Default for PaceOptions {
    fn default() -> Self {
        Self { min_batch: 100, max_batch: 10_000, target: None, duty: None, max_rows_per_second: None }
    }
}

impl PaceOptions {
    /// The same pace where the unit of work is a heap block of some `rows_per_block` rows.
    #[must_use]
    pub fn in_blocks(self, rows_per_block: u32) -> Self {
        let blocks = |rows: u32| (rows / rows_per_block.max(1)).max(1);
        Self { min_batch: blocks(self.min_batch), max_batch: blocks(self.max_batch), ..self }
    }
}

/// The pace of one pass.
#[derive(Debug, Clone)]
pub struct Pace {
    options: PaceOptions,
    target: Duration,
    duty: f64,
    size: u32,
    /// What was too much for one statement is not tried again in this pass.
    cap: u32,
    /// Slow batches of the smallest size, less the fast ones since.
    strain: u32,
}

/// Batches that can't be made smaller and still take longer than this many times their target say that the
/// database has other work.
const SLOW: u32 = 4;
/// The rests grow to at most so many times of what they were.
const MAX_STRAIN: u32 = 7;

impl Pace {
    /// Starts small.
    pub fn new(options: PaceOptions, dialect: Dialect) -> Self {
        let (target, duty) = match dialect {
            Dialect::Postgres => (Duration::from_micros(500), 0.05),
            Dialect::Sqlite => (Duration::from_millis(2), 0.25),
        };
        let min = options.min_batch.max(1);
        let options = PaceOptions { min_batch: min, max_batch: options.max_batch.max(min), ..options };
        Self {
            options,
            target: options.target.unwrap_or(target),
            duty: options.duty.unwrap_or(duty).clamp(0.001, 1.0),
            size: min,
            cap: options.max_batch,
            strain: 0,
        }
    }

    /// The size of the next batch.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Learns from a batch that took `elapsed`; `met_lock` is a timeout, a deadlock or a lock wait.
    pub fn learn(&mut self, elapsed: Duration, met_lock: bool) {
        if self.size <= self.options.min_batch && elapsed > self.target * SLOW {
            self.strain = (self.strain + 1).min(MAX_STRAIN);
        } else {
            self.strain = self.strain.saturating_sub(1);
        }
        let wanted = if met_lock {
            self.size / 2
        } else {
            // At most doubled, at most halved: one odd measurement must not throw it off.
            let ratio = self.target.as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
            (f64::from(self.size) * ratio.clamp(0.5, 2.0)) as u32
        };
        self.size = wanted.clamp(self.options.min_batch, self.options.max_batch).min(self.cap);
    }

    /// A batch was too much for one statement, and nothing of it was done: halves the size, below the
    /// smallest batch if it must be. False when there is nothing left to halve.
    #[must_use]
    pub fn give_in(&mut self) -> bool {
        if self.size <= 1 {
            return false;
        }
        self.size /= 2;
        self.cap = self.size;
        true
    }

    /// A single row was what took so long: others may go in batches as large as before.
    pub fn recover(&mut self) {
        self.cap = self.options.max_batch;
    }

    /// How long to rest after `rows` rows in `elapsed`: in proportion to the work, longer while even the
    /// smallest batches are slow, and long enough for the rate limit.
    pub fn rest(&self, rows: u64, elapsed: Duration) -> Duration {
        let by_duty = elapsed.mul_f64(1.0 / self.duty - 1.0) * (1 + self.strain);
        let by_rate = match self.options.max_rows_per_second {
            Some(rate) => {
                Duration::from_secs_f64(rows as f64 / f64::from(rate.max(1))).saturating_sub(elapsed)
            }
            None => Duration::ZERO,
        };
        by_duty.max(by_rate)
    }
}

#[cfg(test)]
mod tests {
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
        let mut pace =
            at_two_milliseconds(PaceOptions { min_batch: 7, max_batch: 7, ..PaceOptions::default() });
        pace.learn(Duration::from_secs(9), true);
        assert_eq!(pace.size(), 7);
        pace.learn(Duration::ZERO, false);
        assert_eq!(pace.size(), 7);
    }
}
