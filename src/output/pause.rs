//! `pause` and `resume`

use serde::Serialize;

use super::printer::{Report, View};
use super::text::visible;
use crate::protocol::Timestamp;
use crate::store::PauseRow;

/// Whether the janitors of a database are paused.
#[derive(Debug, Serialize)]
pub struct PauseReport {
    /// They are.
    pub paused: bool,
    /// Why they are, or were.
    pub reason: Option<String>,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Until when; null is until somebody resumes.
    pub until: Option<Timestamp>,
    /// Who paused them.
    pub actor: Option<String>,
    /// From which host.
    pub host: Option<String>,
    #[serde(skip)]
    now: Timestamp,
}

impl PauseReport {
    /// They are paused.
    pub fn paused(pause: &PauseRow, now: Timestamp) -> Self {
        Self { paused: true, ..Self::of(Some(pause), now) }
    }

    /// They go on; `before` is the pause that was on.
    pub fn resumed(before: Option<&PauseRow>, now: Timestamp) -> Self {
        Self { paused: false, ..Self::of(before, now) }
    }

    /// The pause that is on, or none.
    pub fn of(pause: Option<&PauseRow>, now: Timestamp) -> Self {
        Self {
            paused: pause.is_some(),
            reason: pause.map(|pause| pause.reason.clone()),
            since: pause.map(|pause| pause.since),
            until: pause.and_then(|pause| pause.until),
            actor: pause.and_then(|pause| pause.actor.clone()),
            host: pause.and_then(|pause| pause.host.clone()),
            now,
        }
    }

    /// Who paused them, since when and why, in words.
    pub fn words(&self, view: &View) -> String {
        let who = match (&self.actor, &self.host) {
            (Some(actor), Some(host)) => format!(" by {}@{}", visible(actor), visible(host)),
            _ => String::new(),
        };
        let since = self.since.map(|at| format!(" since {}", view.time(at, self.now))).unwrap_or_default();
        let until = match self.until {
            Some(at) => format!(", until {}", view.time(at, self.now)),
            None => ", until somebody resumes".to_owned(),
        };
        let reason = visible(self.reason.as_deref().unwrap_or_default());
        format!("paused{since}{who}{until}: {reason}")
    }
}

impl Report for PauseReport {
    fn table(&self, view: &View) -> String {
        if self.paused {
            return format!("every janitor on this database and schema is {}\n", self.words(view));
        }
        match self.since {
            None => "nothing was paused\n".to_owned(),
            Some(_) => {
                format!("every janitor on this database and schema goes on; it was {}\n", self.words(view))
            }
        }
    }
}
