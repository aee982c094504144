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
mod tests;
