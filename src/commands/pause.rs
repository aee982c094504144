//! `idemctl pause` and `idemctl resume`

use super::{actor, confirm};
use crate::exit::{Exit, Failure};
use crate::output::{PauseReport, Printer};
use crate::settings::PauseSettings;
use crate::store::Store;

/// Pauses every janitor of the database.
pub(super) async fn pause(
    store: &Store,
    settings: &PauseSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    require_leases(store).await?;
    let reason = settings.reason.as_str();
    let pause = store
        .set_pause(reason, settings.length, &actor("pause", Some(reason)), &confirm::by_command())
        .await?;
    printer.report(&PauseReport::paused(&pause, store.now().await?))?;
    Ok(Exit::Done)
}

/// Ends the pause.
pub(super) async fn resume(store: &Store, reason: Option<&str>, printer: &Printer) -> Result<Exit, Failure> {
    require_leases(store).await?;
    let ended = store.clear_pause(&actor("resume", reason), &confirm::by_command()).await?;
    printer.report(&PauseReport::resumed(ended.as_ref(), store.now().await?))?;
    Ok(Exit::Done)
}

async fn require_leases(store: &Store) -> Result<(), Failure> {
    if store.has_leases().await? {
        return Ok(());
    }
    Err(Failure::new(Exit::NotReady, "a pause needs the table idemctl_pause, which is not there")
        .hint("create it with `idemctl migrate`"))
}
