//! A progress bar on stderr, for anything that takes over a second, on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Printer;

/// Before this nobody needs a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that shows itself when it is needed.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    wanted: bool,
}

impl Progress {
    /// A bar for `total` things, or a counter where the total is unknown.
    pub fn new(printer: &Printer, what: &'static str, total: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match total {
            Some(_) => "{msg} {wide_bar} {human_pos}/{human_len}  {per_sec}  {eta} left",
            None => "{msg} {spinner} {human_pos}  {per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self { bar, started: Instant::now(), wanted: printer.shows_progress() }
    }

    /// So many are done by now.
    pub fn set(&self, done: u64) {
        if self.wanted && self.started.elapsed() >= PATIENCE && self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
