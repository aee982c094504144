//! `idemctl migrate`

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    Access, announce, confirm, database, make_default_folder, refuse_missing_default, unless_stopped,
};
use crate::exit::{Exit, Failure};
use crate::output::{MigrateReport, MigrateVerb, Printer};
use crate::settings::{DatabaseSource, DatabaseTarget, MigrateAction, MigrateSettings, Settings};
use crate::store::{DatabaseUrl, Dialect, MigrateOptions, Migration, Store, StoreError, StoreOptions};

/// Migrates, or says what is or would be.
pub(super) async fn migrate(
    settings: &Settings,
    migrate: &MigrateSettings,
    printer: &Printer,
    stop: &CancellationToken,
) -> Result<Exit, Failure> {
    match migrate.action {
        MigrateAction::Print(dialect) => {
            let dialect = match dialect {
                Some(dialect) => dialect,
                None => dialect_of(&settings.database()?.url),
            };
            print(printer, dialect, settings.adopts())
        }
        MigrateAction::Run => {
            let store = unless_stopped(stop, open(settings, printer)).await?;
            let options = MigrateOptions { patience: migrate.wait, holder: holder() };
            let migrating =
                async { store.migrate(&options, &confirm::by_command()).await.map_err(not_migrated) };
            let ran = match unless_stopped(stop, migrating).await {
                Err(failure) if failure.exit == Exit::Interrupted => {
                    abandon(&store, &options, printer).await;
                    return Err(failure);
                }
                migrated => migrated?,
            };
            printer.report(&MigrateReport::migrated(&ran))?;
            Ok(Exit::Done)
        }
        MigrateAction::DryRun => {
            unless_stopped(stop, look(settings, printer, MigrateVerb::DryRun, false)).await
        }
        MigrateAction::Status { exit_code } => {
            unless_stopped(stop, look(settings, printer, MigrateVerb::Status, exit_code)).await
        }
    }
}

/// The database that is to be migrated, which people are told.
async fn open(settings: &Settings, printer: &Printer) -> Result<Store, Failure> {
    let target = database(settings, printer)?;
    if let Some(file) = &target.local_file {
        let what = if file.exists() { "using" } else { "making" };
        printer.notice(&format!("{what} the SQLite file {} in your data folder", file.display()));
        if target.source == DatabaseSource::Default {
            printer.notice(
                "no database is named: name another one with --database-url or $IDEMCTL_DATABASE_URL",
            );
        }
    }
    let mut store = open_or_create(&target).await?;
    if settings.adopts() {
        store = store.auxiliary_only();
        printer.notice("the configuration has tables of your own: only idemctl's auxiliary tables are made");
    }
    announce(printer, &target, &store, Access::Write("migrating", &[])).await?;
    Ok(store)
}

fn not_migrated(error: StoreError) -> Failure {
    let is_unknown = error.is_outcome_unknown();
    let failure = Failure::from(error);
    match is_unknown {
        true => failure.hint("`idemctl migrate status` says what was applied; to run it again is harmless"),
        false => failure,
    }
}

/// How long giving the lease back may hold up the end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whoever migrates next should not wait for a lease that nobody holds any more.
async fn abandon(store: &Store, options: &MigrateOptions, printer: &Printer) {
    let why = match tokio::time::timeout(PATIENCE, store.abandon_migration(options)).await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.chain(),
        Err(_) => "the database does not answer".to_owned(),
    };
    printer.notice(&format!(
        "the migration's lease could not be given back ({why}); it runs out by itself within half a minute"
    ));
}

async fn look(
    settings: &Settings,
    printer: &Printer,
    verb: MigrateVerb,
    exit_code: bool,
) -> Result<Exit, Failure> {
    let target = database(settings, printer)?;
    refuse_missing_default(&target)?;
    let mut store = Store::open(&target.url, target.options.clone()).await?;
    if settings.adopts() {
        store = store.auxiliary_only();
    }
    store.location().await?;
    let report = MigrateReport::status(verb, &store.migration_status().await?);
    printer.report(&report)?;
    Ok(if exit_code && report.pending() > 0 { Exit::NotReady } else { Exit::Done })
}

fn print(printer: &Printer, dialect: Dialect, auxiliary_only: bool) -> Result<Exit, Failure> {
    let mut script = Migration::bootstrap(dialect).to_owned();
    let migrations = if auxiliary_only { Migration::auxiliary(dialect) } else { Migration::all(dialect) };
    for migration in migrations {
        script.push('\n');
        script.push_str(&migration.script(dialect));
    }
    printer.write(&script)?;
    Ok(Exit::Done)
}

fn dialect_of(url: &DatabaseUrl) -> Dialect {
    match url {
        DatabaseUrl::Postgres(_) => Dialect::Postgres,
        DatabaseUrl::Sqlite(_) => Dialect::Sqlite,
    }
}

/// Opens a database whose file may be made.
pub(super) async fn open_or_create(target: &DatabaseTarget) -> Result<Store, Failure> {
    make_default_folder(target)?;
    Ok(Store::open(&target.url, StoreOptions { create: true, ..target.options.clone() }).await?)
}

/// Who migrates, for the lease row.
pub(super) fn holder() -> String {
    let host = whoami::hostname().unwrap_or_else(|_| "unknown".to_owned());
    format!("{host}:{}:{}", std::process::id(), uuid::Uuid::new_v4().simple())
}
