//! What a pass asks before each batch: whether it may go on.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

/// A hold's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The next batch may begin.
    Open,
    /// Not now; the pass waits and asks again.
    Wait,
    /// The janitor is paused; the pass ends.
    Paused,
    /// The pass ends.
    Stop,
}

/// Stands before every batch of a pass. A [`CancellationToken`] is the simplest one: always open, until
/// it is cancelled.
#[async_trait]
pub trait Hold: Send + Sync {
    /// Cancelled when the pass must end after the batch at hand.
    fn stop(&self) -> &CancellationToken;

    /// Whether the next batch may begin. Asked outside any transaction.
    async fn ask(&self) -> Admission {
        if self.stop().is_cancelled() { Admission::Stop } else { Admission::Open }
    }
}

#[async_trait]
impl Hold for CancellationToken {
    fn stop(&self) -> &CancellationToken {
        self
    }
}
