//! Which database, and how we came to know.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use super::{Settings, usage};
use crate::exit::Failure;
use crate::store::{
    DatabaseUrl, Environment, InvalidUrl, StoreOptions, Timeouts, looks_like_url, set_variables,
};

/// Where a database's URL came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseSource {
    /// A flag.
    Flag(&'static str),
    /// A variable of the environment.
    Variable(&'static str),
    /// The variables of PostgreSQL's own programs.
    Variables(Vec<&'static str>),
    /// systemd's credentials.
    Credentials(PathBuf),
    /// The configuration.
    Config(String),
    /// Nothing was said: the SQLite file in the user's data folder.
    Default,
}

impl fmt::Display for DatabaseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::Variable(name) => write!(f, "${name}"),
            Self::Variables(names) => write!(f, "${}", names.join(", $")),
            Self::Credentials(path) => write!(f, "{}", path.display()),
            Self::Config(key) => f.write_str(key),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A database and how to connect to it.
#[derive(Debug, Clone)]
pub struct DatabaseTarget {
    /// Where it is.
    pub url: DatabaseUrl,
    /// Where that came from.
    pub source: DatabaseSource,
    /// The SQLite file in the user's data folder, where that is the database.
    pub local_file: Option<PathBuf>,
    /// How to connect.
    pub options: StoreOptions,
}

const NAME_ONE: &str = "name one with --database-url or $IDEMCTL_DATABASE_URL";

impl Settings {
    /// The database to work on.
    ///
    /// # Errors
    /// A URL that is none, or a file that can't be read.
    pub fn database(&self) -> Result<DatabaseTarget, Failure> {
        if let Some((url, source)) = self.named()? {
            return Ok(self.target(url, source, None));
        }
        if self.config().database.local {
            return self.local(DatabaseSource::Config(self.place("database.local")));
        }
        let unusable = |source: &str, error: InvalidUrl| unusable_url(source, error);
        let environment = Environment::process();
        let named = DatabaseUrl::from_variables(&environment);
        if let Some((url, names)) = named.map_err(|error| unusable("PG* variables", error))? {
            return Ok(self.target(url, DatabaseSource::Variables(names), None));
        }
        let set = set_variables(&environment, false).map_err(|error| unusable("PG* variables", error))?;
        if !set.is_empty() {
            return Err(
                usage(format!("no database is named: ${} names none", set.join(", $"))).hint(NAME_ONE)
            );
        }
        self.local(DatabaseSource::Default)
    }

    /// The database of `run`, which nobody guesses: a job whose environment lost the URL would be executed a
    /// second time.
    ///
    /// # Errors
    /// As [`Settings::database`], and where nothing names a database.
    pub fn database_of_run(&self, local: bool) -> Result<DatabaseTarget, Failure> {
        if local {
            return match self.named()? {
                Some((_, source)) => {
                    Err(usage(format!("--local is given, and {source} names another database"))
                        .hint("leave one of them out"))
                }
                None => self.local(DatabaseSource::Flag("--local")),
            };
        }
        let target = self.database()?;
        match target.source {
            DatabaseSource::Default => Err(usage(
                "no database is named: $IDEMCTL_DATABASE_URL and $DATABASE_URL are not set, and the configuration \
                 has none",
            )
            .hint("set the variable this job lost, or say --local for an SQLite file in your data folder")),
            _ => Ok(target),
        }
    }

    fn target(
        &self,
        url: DatabaseUrl,
        source: DatabaseSource,
        local_file: Option<PathBuf>,
    ) -> DatabaseTarget {
        let config = &self.config().database;
        let options = StoreOptions {
            timeouts: Timeouts {
                connect: config.connect_timeout.0,
                lock: config.lock_timeout.0,
                statement: config.statement_timeout.0,
            },
            // A tool that runs now and then gains nothing from named statements, and behind a
            // pooler that shares connections between transactions they collide.
            prepared_statements: false,
            max_connections: 3,
            ..StoreOptions::default()
        };
        DatabaseTarget { url, source, local_file, options }
    }

    /// The SQLite file in the user's data folder.
    fn local(&self, source: DatabaseSource) -> Result<DatabaseTarget, Failure> {
        let folders = etcetera::choose_base_strategy().map_err(|error| {
            usage("there is no home folder for the default database").because(error).hint(NAME_ONE)
        })?;
        let path = folders.data_dir().join("idemctl").join("idemctl.db");
        Ok(self.target(DatabaseUrl::sqlite_file(path.clone()), source, Some(path)))
    }

    /// The database that somebody named, the most explicit way first.
    fn named(&self) -> Result<Option<(DatabaseUrl, DatabaseSource)>, Failure> {
        let Some((text, source)) = self.named_text()? else { return Ok(None) };
        match text.parse::<DatabaseUrl>() {
            Ok(url) => Ok(Some((url, source))),
            Err(error) => Err(unusable_url(&source.to_string(), error)),
        }
    }

    fn named_text(&self) -> Result<Option<(String, DatabaseSource)>, Failure> {
        if let Some(url) = &self.database_url {
            return Ok(Some((url.clone(), DatabaseSource::Flag("--database-url"))));
        }
        if let Some(path) = &self.database_url_file {
            let source = DatabaseSource::Flag("--database-url-file");
            return Ok(Some((first_line(path, &source)?, source)));
        }
        const URL: &str = "IDEMCTL_DATABASE_URL";
        const FILE: &str = "IDEMCTL_DATABASE_URL_FILE";
        match (variable(URL)?, variable(FILE)?) {
            (Some(_), Some(_)) => {
                return Err(usage(format!("${URL} and ${FILE} are both set")).hint("unset one of them"));
            }
            (Some(url), None) => return Ok(Some((url, DatabaseSource::Variable(URL)))),
            (None, Some(path)) => {
                let source = DatabaseSource::Variable(FILE);
                return Ok(Some((first_line(Path::new(&path), &source)?, source)));
            }
            (None, None) => {}
        }
        if let Some(url) = variable("DATABASE_URL")? {
            return Ok(Some((url, DatabaseSource::Variable("DATABASE_URL"))));
        }
        if let Some(folder) = env::var_os("CREDENTIALS_DIRECTORY") {
            let path = PathBuf::from(folder).join("database-url");
            let source = DatabaseSource::Credentials(path.clone());
            // An empty one counts as none: the unit that we ship has an empty credential where the
            // administrator gave no file.
            if path.exists() && !read(&path, &source)?.trim().is_empty() {
                return Ok(Some((first_line(&path, &source)?, source)));
            }
        }
        let config = &self.config().database;
        if let Some(url) = &config.url {
            return Ok(Some((url.clone(), DatabaseSource::Config(self.place("database.url")))));
        }
        if let Some(path) = &config.url_file {
            let source = DatabaseSource::Config(self.place("database.url_file"));
            return Ok(Some((first_line(path, &source)?, source)));
        }
        Ok(None)
    }

    fn place(&self, key: &str) -> String {
        match &self.effective.file {
            Some(file) if self.effective.is_of_file(key) => format!("{key} in {}", file.display()),
            _ => self.effective.source(key),
        }
    }
}

fn unusable_url(source: &str, error: InvalidUrl) -> Failure {
    let hint = error.hint().map(str::to_owned);
    let failure = usage(format!("the database URL from {source} can't be used")).because(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// An empty variable is none that was left out: something should have filled it, and the next place may name
/// another application's database.
fn variable(name: &'static str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(text) if text.trim().is_empty() => {
            Err(usage(format!("${name} is set, and empty")).hint("unset it, or give it the database's URL"))
        }
        Ok(text) => Ok(Some(text)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(usage(format!("${name} is not valid UTF-8"))),
    }
}

fn first_line(path: &Path, source: &DatabaseSource) -> Result<String, Failure> {
    match read(path, source)?.lines().next().map(str::trim) {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(usage(format!("{} has no database URL on its first line", path.display()))),
    }
}

fn read(path: &Path, source: &DatabaseSource) -> Result<String, Failure> {
    if looks_like_url(&path.to_string_lossy()) && !path.exists() {
        return Err(usage(format!("the value of {source} is a URL, and should be the path of a file"))
            .hint("give a URL with --database-url or $IDEMCTL_DATABASE_URL"));
    }
    fs::read_to_string(path)
        .map_err(|error| usage(format!("can't read the database URL from {}", path.display())).because(error))
}
