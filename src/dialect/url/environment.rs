//! What the process around us says: its variables and its home folder.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use super::InvalidUrl;

/// Where variables come from; a test has its own.
pub(crate) struct Environment<'e>(&'e dyn Fn(&str) -> Option<OsString>);

impl<'e> Environment<'e> {
    #[cfg(test)]
    pub(crate) const fn new(variables: &'e dyn Fn(&str) -> Option<OsString>) -> Self {
        Self(variables)
    }

    /// This process's own.
    pub(crate) fn process() -> Environment<'static> {
        Environment(&|name| env::var_os(name))
    }

    pub(in crate::dialect) fn text(&self, name: &str) -> Result<Option<String>, InvalidUrl> {
        match (self.0)(name).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text)),
            Some(Err(_)) => Err(InvalidUrl::new(format!("${name} is not valid UTF-8"))),
        }
    }

    pub(in crate::dialect) fn path(&self, name: &str) -> Option<PathBuf> {
        (self.0)(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    pub(in crate::dialect) fn home(&self) -> Option<PathBuf> {
        self.path("HOME")
    }
}
