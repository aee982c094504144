//! `sqlite:PATH?mode=…`, with sqlx's meaning: what comes after the first `?` are parameters, and a `?` of the
//! file's name is written `%3F`.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::dialect::postgres::parameters::nearest;
use crate::dialect::postgres::url::percent_decoded;
use crate::dialect::url::InvalidUrl;

const PARAMETERS: [&str; 4] = ["mode", "cache", "immutable", "vfs"];

/// An SQLite file and how it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteUrl {
    path: PathBuf,
    mode: Option<Mode>,
    shared_cache: Option<bool>,
    immutable: Option<bool>,
    vfs: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    ReadOnly,
    ReadWrite,
    Create,
}

impl SqliteUrl {
    pub(in crate::dialect) fn file(path: PathBuf) -> Self {
        Self { path, mode: None, shared_cache: None, immutable: None, vfs: None }
    }

    /// `text` is what comes after `sqlite:`.
    pub(in crate::dialect) fn parse(text: &str) -> Result<Self, InvalidUrl> {
        let text = match text.strip_prefix("//") {
            Some(text) => {
                let host = text.split('/').next().unwrap_or_default();
                if host.split_once('@').is_some_and(|(user, _)| user.contains(':')) {
                    return Err(InvalidUrl::new(
                        "it names a user, a password and a host, and SQLite has none",
                    )
                    .with_hint("write sqlite:PATH, or the scheme of the database that is meant"));
                }
                text
            }
            None => text,
        };
        let (path, parameters) = match text.split_once('?') {
            Some((path, parameters)) => (path, parameters),
            None => (text, ""),
        };
        let path = percent_decoded(path, "the path")?;
        if path.is_empty() {
            return Err(InvalidUrl::new("it names no file").with_hint("write sqlite:PATH"));
        }
        let forgets =
            || InvalidUrl::new("an in-memory database forgets everything at once").with_hint("name a file");
        if path.contains(":memory:") {
            return Err(forgets());
        }
        // SQLite reads a name that begins so as a URI, whose parameters can make it forget everything.
        let path = if path.starts_with("file:") { format!("./{path}") } else { path };
        let mut url = Self::file(PathBuf::from(path));
        let mut seen: Vec<(&str, String)> = Vec::new();
        for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decoded(value, "a parameter")?;
            let Some(known) = PARAMETERS.into_iter().find(|known| *known == name) else {
                let error = InvalidUrl::new("SQLite has no such parameter");
                return Err(error.with_hint(match nearest(name, &PARAMETERS) {
                    Some(known) => format!("did you mean {known}? A ? in the name of a file is written %3F"),
                    None => format!(
                        "known are {}; a ? in the name of a file is written %3F",
                        PARAMETERS.join(", ")
                    ),
                }));
            };
            if let Some((_, before)) = seen.iter().find(|(name, _)| *name == known) {
                if *before != value {
                    return Err(InvalidUrl::new(format!(
                        "the parameter {known} is there twice, with two values"
                    ))
                    .with_hint("leave one of them out"));
                }
                continue;
            }
            let one_of = |values: &str| {
                InvalidUrl::new(format!("the value of {known} is not known"))
                    .with_hint(format!("it can be {values}"))
            };
            match (known, value.as_str()) {
                ("mode", "ro") => url.mode = Some(Mode::ReadOnly),
                ("mode", "rw") => url.mode = Some(Mode::ReadWrite),
                ("mode", "rwc") => url.mode = Some(Mode::Create),
                ("mode", "memory") => return Err(forgets()),
                ("mode", _) => return Err(one_of("ro, rw or rwc")),
                ("cache", "shared") => url.shared_cache = Some(true),
                ("cache", "private") => url.shared_cache = Some(false),
                ("cache", _) => return Err(one_of("shared or private")),
                ("immutable", "true" | "1") => url.immutable = Some(true),
                ("immutable", "false" | "0") => url.immutable = Some(false),
                ("immutable", _) => return Err(one_of("true or false")),
                ("vfs", "") => {
                    return Err(InvalidUrl::new("the parameter vfs is empty").with_hint("leave it out"));
                }
                // What mode=memory asks for, and what nolock=1 asks for on each system.
                ("vfs", "memdb") => return Err(forgets()),
                ("vfs", vfs) if vfs == "none" || vfs.ends_with("-none") => {
                    return Err(InvalidUrl::new(
                        "this vfs takes no locks: two processes at a time destroy the file",
                    )
                    .with_hint("leave the parameter vfs out"));
                }
                _ => url.vfs = Some(value.clone()),
            }
            seen.push((known, value));
        }
        Ok(url)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is only looked at.
    pub fn is_read_only(&self) -> bool {
        self.mode == Some(Mode::ReadOnly) || self.immutable == Some(true)
    }

    /// Whether nobody changes it, so that what lies beside it is not read.
    #[cfg(feature = "sqlite")]
    pub(crate) fn is_immutable(&self) -> bool {
        self.immutable == Some(true)
    }

    /// Whether the file is made when it is not there: what the URL says, else what the caller wants.
    #[cfg(feature = "sqlite")]
    pub(crate) fn creates(&self, wanted: bool) -> bool {
        match self.mode {
            Some(Mode::Create) => self.immutable != Some(true),
            Some(Mode::ReadOnly | Mode::ReadWrite) => false,
            None => wanted && self.immutable != Some(true),
        }
    }

    /// What the driver has to know beside the path.
    #[cfg(feature = "sqlite")]
    pub(crate) fn apply(
        &self,
        mut options: sqlx::sqlite::SqliteConnectOptions,
    ) -> sqlx::sqlite::SqliteConnectOptions {
        if let Some(shared) = self.shared_cache {
            options = options.shared_cache(shared);
        }
        if self.immutable == Some(true) {
            options = options.immutable(true);
        }
        if let Some(vfs) = &self.vfs {
            options = options.vfs(vfs.clone());
        }
        options.read_only(self.is_read_only())
    }
}

impl fmt::Display for SqliteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string().replace('%', "%25").replace('?', "%3F");
        write!(f, "sqlite:{path}")?;
        let parameters = [
            (
                "mode",
                self.mode.map(|mode| match mode {
                    Mode::ReadOnly => "ro",
                    Mode::ReadWrite => "rw",
                    Mode::Create => "rwc",
                }),
            ),
            ("cache", self.shared_cache.map(|shared| if shared { "shared" } else { "private" })),
            ("immutable", self.immutable.map(|immutable| if immutable { "true" } else { "false" })),
            ("vfs", self.vfs.as_deref()),
        ];
        let mut separator = '?';
        for (name, value) in parameters {
            if let Some(value) = value {
                write!(f, "{separator}{name}={value}")?;
                separator = '&';
            }
        }
        Ok(())
    }
}
