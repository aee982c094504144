//! Which database, and how we came to know.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use super::{Settings, usage};
use crate::exit::Failure;
use crate::store::{DatabaseUrl, StoreOptions, Timeouts};

/// Where a database's URL came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseSource {
    /// A flag.
    Flag(&'static str),
    /// A variable of the environment.
    Variable(&'static str),
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
    /// How to connect.
    pub options: StoreOptions,
}

impl Settings {
    /// The database to work on.
    ///
    /// # Errors
    /// A URL that is none, or a file that can't be read.
    pub fn database(&self) -> Result<DatabaseTarget, Failure> {
        let (text, source) = self.database_text()?;
        let url = text
            .parse::<DatabaseUrl>()
            .map_err(|error| usage(format!("the database URL from {source} is not one")).because(error))?;
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
        Ok(DatabaseTarget { url, source, options })
    }

    fn database_text(&self) -> Result<(String, DatabaseSource), Failure> {
        if let Some(url) = &self.database_url {
            return Ok((url.clone(), DatabaseSource::Flag("--database-url")));
        }
        if let Some(path) = &self.database_url_file {
            return Ok((first_line(path)?, DatabaseSource::Flag("--database-url-file")));
        }
        for name in ["IDEMCTL_DATABASE_URL", "DATABASE_URL"] {
            match env::var(name) {
                Ok(url) if !url.is_empty() => return Ok((url, DatabaseSource::Variable(name))),
                Ok(_) | Err(env::VarError::NotPresent) => {}
                Err(env::VarError::NotUnicode(_)) => {
                    return Err(usage(format!("${name} is not valid UTF-8")));
                }
            }
        }
        if let Some(folder) = env::var_os("CREDENTIALS_DIRECTORY") {
            let path = PathBuf::from(folder).join("database-url");
            // An empty one counts as none, like an empty variable: the unit that we ship has an
            // empty credential where the administrator gave no file.
            if path.exists() && !read(&path)?.trim().is_empty() {
                return Ok((first_line(&path)?, DatabaseSource::Credentials(path)));
            }
        }
        let config = &self.config().database;
        let place = |key: &str| match &self.effective.file {
            Some(file) => DatabaseSource::Config(format!("{key} in {}", file.display())),
            None => DatabaseSource::Config(key.to_owned()),
        };
        if let Some(url) = &config.url {
            return Ok((url.clone(), place("database.url")));
        }
        if let Some(path) = &config.url_file {
            return Ok((first_line(path)?, place("database.url_file")));
        }
        let folders = etcetera::choose_base_strategy().map_err(|error| {
            usage("there is no home folder for the default database")
                .because(error)
                .hint("name a database with --database-url")
        })?;
        let path = folders.data_dir().join("idemctl").join("idemctl.db");
        Ok((format!("sqlite:{}", path.display()), DatabaseSource::Default))
    }
}

fn first_line(path: &Path) -> Result<String, Failure> {
    match read(path)?.lines().next().map(str::trim) {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(usage(format!("{} has no database URL on its first line", path.display()))),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| usage(format!("can't read the database URL from {}", path.display())).because(error))
}
