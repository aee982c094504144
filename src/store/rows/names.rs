//! Keys and scopes as people write them, and which scopes are meant.

use crate::store::{ErrorKind, StoreError, Value};
use crate::table::{Ident, Mapping};

/// Key and scope as people write them, of the columns that name a row.
pub(in crate::store) fn name_texts(mapping: &Mapping, name: &[Option<Value>]) -> (String, String) {
    let shown: Vec<Option<String>> = name.iter().map(|part| part.as_ref().map(Value::name)).collect();
    let (key, scope) = shown.split_at(mapping.key.len().min(shown.len()));
    (joined(key.iter().map(Option::as_deref)), joined(scope.iter().map(Option::as_deref)))
}

/// The parts of a name as one text. A single part is itself; of several, commas and backslashes within
/// them are escaped, so that no two names are written alike.
pub(in crate::store) fn joined<'p>(parts: impl ExactSizeIterator<Item = Option<&'p str>>) -> String {
    let single = parts.len() == 1;
    parts
        .map(|part| match part {
            None => "\\N".to_owned(),
            Some(part) if single => part.to_owned(),
            Some(part) => part.replace('\\', "\\\\").replace(',', "\\,"),
        })
        .collect::<Vec<_>>()
        .join(",")
}

/// Which rows of a key, or of the whole table, belong to a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeFilter {
    /// The scope of a table whose scope is one column.
    Plain(String),
    /// These columns hold these values; `None` is NULL. Columns that are not named may hold any.
    Columns(Vec<(Ident, Option<String>)>),
}

impl From<&str> for ScopeFilter {
    fn from(scope: &str) -> Self {
        Self::Plain(scope.to_owned())
    }
}

impl From<String> for ScopeFilter {
    fn from(scope: String) -> Self {
        Self::Plain(scope)
    }
}

impl ScopeFilter {
    /// The columns that are compared, each with its value.
    pub(in crate::store) fn conditions<'f>(
        &'f self,
        mapping: &'f Mapping,
    ) -> Result<Vec<(&'f Ident, Option<&'f str>)>, StoreError> {
        match self {
            Self::Plain(scope) => match mapping.scope.as_slice() {
                [one] => Ok(vec![(one, Some(scope.as_str()))]),
                [] if scope.is_empty() => Ok(Vec::new()),
                [] => {
                    Err(StoreError::new(ErrorKind::Input, format!("the table {} has no scope", mapping.name)))
                }
                several => {
                    let names: Vec<String> = several.iter().map(ToString::to_string).collect();
                    Err(StoreError::new(
                        ErrorKind::Input,
                        format!(
                            "the scope of {} is of several columns ({}): name each as COLUMN=VALUE",
                            mapping.name,
                            names.join(", ")
                        ),
                    ))
                }
            },
            Self::Columns(parts) => parts
                .iter()
                .map(|(column, value)| {
                    if !mapping.scope.contains(column) {
                        return Err(StoreError::new(
                            ErrorKind::Input,
                            format!("{column:?} is no scope column of {}", mapping.name),
                        ));
                    }
                    Ok((column, value.as_deref()))
                })
                .collect(),
        }
    }
}
