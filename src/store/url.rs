//! Database URLs.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::{ErrorKind, StoreError};

/// Where a database is. [`fmt::Display`] leaves the password out.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseUrl {
    /// `postgres://user:password@host:port/database`, with one URL per listed host.
    Postgres {
        /// One complete URL per host, in the order they were listed.
        hosts: Vec<String>,
    },
    /// `sqlite:PATH`
    Sqlite {
        /// The file.
        path: PathBuf,
    },
}

/// Text that is no database URL. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a database URL: {0}; expected postgres://USER@HOST/DATABASE or sqlite:PATH")]
pub struct InvalidUrl(&'static str);

impl From<InvalidUrl> for StoreError {
    fn from(error: InvalidUrl) -> Self {
        Self::new(ErrorKind::Input, error.to_string())
    }
}

impl DatabaseUrl {
    /// Whether such a database may have standbys that replay what it does.
    pub fn has_standbys(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }
}

impl FromStr for DatabaseUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("sqlite:") {
            let path = rest.strip_prefix("//").unwrap_or(rest);
            if path.is_empty() {
                return Err(InvalidUrl("it names no file"));
            }
            if path.contains(":memory:") {
                return Err(InvalidUrl("an in-memory database forgets everything at once"));
            }
            if path.contains('\0') {
                return Err(InvalidUrl("the path contains a NUL"));
            }
            // SQLite reads a name that begins so as a URI, whose parameters can make it forget everything.
            let path = if path.starts_with("file:") { format!("./{path}") } else { path.to_owned() };
            return Ok(Self::Sqlite { path: PathBuf::from(path) });
        }
        if text.starts_with("mysql://") || text.starts_with("mariadb://") {
            return Err(InvalidUrl("MySQL and MariaDB are not supported yet"));
        }
        let rest = text
            .strip_prefix("postgres://")
            .or_else(|| text.strip_prefix("postgresql://"))
            .ok_or(InvalidUrl("its scheme is none that is known"))?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let (user, hosts) = match authority.rsplit_once('@') {
            Some((user, hosts)) => (format!("{user}@"), hosts),
            None => (String::new(), authority),
        };
        let hosts = hosts.split(',').map(|host| format!("postgres://{user}{host}{tail}")).collect();
        Ok(Self::Postgres { hosts })
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { path } => write!(f, "sqlite:{}", path.display()),
            Self::Postgres { hosts } => {
                let public: Vec<String> = hosts.iter().map(|url| without_password(url)).collect();
                f.write_str(&public.join(","))
            }
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Leaves out the password and all parameters, which may hold one.
fn without_password(url: &str) -> String {
    let url = url.split('?').next().unwrap_or(url);
    let Some((scheme, rest)) = url.split_once("://") else { return String::from("…") };
    match rest.rsplit_once('@') {
        Some((user, rest)) => {
            let user = user.split(':').next().unwrap_or(user);
            format!("{scheme}://{user}@{rest}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DatabaseUrl, InvalidUrl> {
        text.parse()
    }

    #[test]
    fn lists_of_hosts_become_urls() {
        let url = parse("postgresql://api:s3cret@a:1,b:2/shop?sslmode=disable").unwrap();
        assert_eq!(
            url,
            DatabaseUrl::Postgres {
                hosts: vec![
                    "postgres://api:s3cret@a:1/shop?sslmode=disable".into(),
                    "postgres://api:s3cret@b:2/shop?sslmode=disable".into(),
                ]
            }
        );
    }

    #[test]
    fn never_shows_a_password() {
        for text in [
            "postgres://api:s3cret@a,b/shop?password=s3cret",
            "postgres://api:s3:cr@et@a/s3",
            "postgres://:s3cret@a",
        ] {
            let url = parse(text).unwrap();
            assert!(!format!("{url} {url:?}").contains("cr"), "{url}");
        }
        let error = parse("postgre://api:s3cret@a").unwrap_err();
        assert!(!error.to_string().contains("s3cret"));
    }

    #[test]
    fn sqlite_paths_are_taken_as_they_are() {
        let path = |text: &str| match parse(text).unwrap() {
            DatabaseUrl::Sqlite { path } => path,
            other => panic!("{other}"),
        };
        assert_eq!(path("sqlite:a b?.db"), PathBuf::from("a b?.db"));
        assert_eq!(path("sqlite:///var/x.db"), PathBuf::from("/var/x.db"));
        assert_eq!(path("sqlite:file:x?mode=memory"), PathBuf::from("./file:x?mode=memory"));
        assert!(parse("sqlite:").is_err());
        assert!(parse("sqlite::memory:").is_err());
    }
}
