//! The way to the database: which one, what is said of it, and what a command needs of the table.

use std::fs;

use crate::exit::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{DatabaseSource, DatabaseTarget, Settings};
use crate::store::{RowChange, Store, StoreOptions, Visibility};

/// What a command wants from the database.
#[derive(Debug, Clone, Copy)]
pub(super) enum Access {
    /// To look.
    Read,
    /// To change something; in words, for the notice that names the target, and what that is.
    Write(&'static str, &'static [RowChange]),
}

/// Opens the store of a command that needs the schema to be there.
pub(super) async fn open(settings: &Settings, printer: &Printer, access: Access) -> Result<Store, Failure> {
    let target = database(settings, printer)?;
    refuse_missing_default(&target)?;
    let store = open_table(settings, &target, access).await?;
    if matches!(access, Access::Write(..)) || target.url.names_schema() {
        // First: whatever is said of the table names its schema.
        store.location().await?;
    }
    let flags = match store.mapping().is_owned() {
        true => store.check_schema().await?,
        false => store.visibility_flags(),
    };
    let store = store.seeing(flags).await?;
    announce(printer, &target, &store, access).await?;
    if let (Access::Write(..), Some(_)) = (access, &store.seen().standby) {
        return Err(Failure::new(
            Exit::NotReady,
            "this server is a standby: it takes no writes; nothing was changed",
        )
        .hint("name the primary in the URL, or list all hosts: postgres://db1,db2/…"));
    }
    say_what_is_seen(printer, store.seen(), &store);
    if matches!(access, Access::Read) {
        say_what_does_not_fit(printer, &store);
    }
    Ok(store)
}

/// What is not shown is missing from the mapping, and not from the rows.
pub(super) fn say_what_does_not_fit(printer: &Printer, store: &Store) {
    for problem in store.misfits() {
        printer.notice(&format!("{problem}; it is left out"));
    }
}

/// Nobody should take a part of a table for the whole.
pub(super) fn say_what_is_seen(printer: &Printer, seen: &Visibility, store: &Store) {
    for words in seen.words(&store.mapping().name.to_string()) {
        printer.notice(&words);
    }
}

/// Opens the store of a command that checks the schema itself.
pub(super) async fn connect(settings: &Settings, printer: &Printer) -> Result<Store, Failure> {
    let target = database(settings, printer)?;
    refuse_missing_default(&target)?;
    let store = open_table(settings, &target, Access::Read).await?;
    say_what_does_not_fit(printer, &store);
    Ok(store)
}

/// The table that the configuration and `--table` name. An adopted one is compared with its mapping
/// before anything else.
pub(super) async fn open_table(
    settings: &Settings,
    target: &DatabaseTarget,
    access: Access,
) -> Result<Store, Failure> {
    let mapping = settings.table()?.mapping;
    let options = match access {
        Access::Read => one_connection(target),
        Access::Write(..) => target.options.clone(),
    };
    let store = Store::open(&target.url, options).await?;
    Ok(match access {
        Access::Read => store.looking_at(mapping).await?,
        Access::Write(_, works) => store.with_mapping_for(mapping, works).await?,
    })
}

/// A report asks one question after the other: a role that may have a single connection can get it.
pub(super) fn one_connection(target: &DatabaseTarget) -> StoreOptions {
    StoreOptions { max_connections: 1, ..target.options.clone() }
}

/// The database that the settings name, with what a person should know of it.
pub(super) fn database(settings: &Settings, printer: &Printer) -> Result<DatabaseTarget, Failure> {
    let target = settings.database()?;
    tell_ignored(&target, printer);
    Ok(target)
}

pub(super) fn tell_ignored(target: &DatabaseTarget, printer: &Printer) {
    for name in target.url.ignored() {
        printer
            .notice(&format!("the parameter {name} in {} has no meaning here and is ignored", target.source));
    }
}

/// An operator whose environment lost the URL must not be told "0 stuck" by an empty file.
pub(super) fn refuse_missing_default(target: &DatabaseTarget) -> Result<(), Failure> {
    // One that can't be looked at is there, or not: whoever opens it says why it can't be.
    let is_missing = |path: &&std::path::PathBuf| matches!(path.try_exists(), Ok(false));
    let Some(path) = target.local_file.as_ref().filter(is_missing) else { return Ok(()) };
    let (what, hint) = match target.source {
        DatabaseSource::Default => (
            "no database is named, and the default one is not there",
            "name one with --database-url or $IDEMCTL_DATABASE_URL, or make the default one with `idemctl migrate`",
        ),
        _ => ("the SQLite file in your data folder is not there", "make it with `idemctl migrate`"),
    };
    Err(Failure::new(Exit::Usage, format!("{what} ({})", path.display())).hint(hint))
}

/// Every command that writes names its target and where that came from.
pub(super) async fn announce(
    printer: &Printer,
    target: &DatabaseTarget,
    store: &Store,
    access: Access,
) -> Result<(), Failure> {
    if let Access::Write(verb, _) = access {
        printer.notice(&format!("{verb} {} (from {})", store.location().await?, target.source));
    }
    Ok(())
}

/// Makes the folder of the SQLite file in the user's data folder, for this user alone.
pub(super) fn make_default_folder(target: &DatabaseTarget) -> Result<(), Failure> {
    if let Some(folder) = target.local_file.as_ref().and_then(|path| path.parent()) {
        use std::os::unix::fs::DirBuilderExt as _;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
            Failure::new(Exit::Failed, format!("can't make the folder {}", folder.display())).because(error)
        })?;
    }
    Ok(())
}
