//! Values on their way into a statement and out of a row, the same for every dialect.

use crate::protocol::{Timestamp, Token};
use crate::store::StoreError;

/// One bind. Every variant may be NULL, since PostgreSQL wants to know the type of a NULL too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
    Int(Option<i64>),
    Bool(Option<bool>),
    Token(Option<Token>),
    Time(Option<Timestamp>),
    /// What a clock on the wall shows, as if it hung in UTC; PostgreSQL's `timestamp`.
    Naive(Option<Timestamp>),
}

impl Value {
    /// A NULL of the type that this value has.
    pub(crate) fn null(&self) -> Self {
        match self {
            Self::Text(_) => Self::Text(None),
            Self::Bytes(_) => Self::Bytes(None),
            Self::Int(_) => Self::Int(None),
            Self::Bool(_) => Self::Bool(None),
            Self::Token(_) => Self::Token(None),
            Self::Time(_) => Self::Time(None),
            Self::Naive(_) => Self::Naive(None),
        }
    }
}

impl std::fmt::Display for Value {
    /// For people who have to be told that a value is not what it should be.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(Some(text)) => write!(f, "{text:?}"),
            Self::Bytes(Some(bytes)) => write!(f, "{} bytes", bytes.len()),
            Self::Int(Some(number)) => number.fmt(f),
            Self::Bool(Some(flag)) => flag.fmt(f),
            Self::Token(Some(token)) => token.fmt(f),
            Self::Time(Some(at)) | Self::Naive(Some(at)) => at.fmt(f),
            _ => f.write_str("NULL"),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}
impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}
impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}
impl From<Option<Vec<u8>>> for Value {
    fn from(bytes: Option<Vec<u8>>) -> Self {
        Self::Bytes(bytes)
    }
}
impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}
impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        Self::Int(number)
    }
}
impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(Some(flag))
    }
}
impl From<Token> for Value {
    fn from(token: Token) -> Self {
        Self::Token(Some(token))
    }
}
impl From<Option<Token>> for Value {
    fn from(token: Option<Token>) -> Self {
        Self::Token(token)
    }
}
impl From<Timestamp> for Value {
    fn from(at: Timestamp) -> Self {
        Self::Time(Some(at))
    }
}

/// One row, read in the order of its select list.
#[derive(Debug)]
pub(crate) struct Row {
    values: std::vec::IntoIter<Option<Value>>,
    column: usize,
}

impl Row {
    pub(crate) fn new(values: Vec<Option<Value>>) -> Self {
        Self { values: values.into_iter(), column: 0 }
    }

    fn next(&mut self) -> Result<Option<Value>, StoreError> {
        self.column += 1;
        self.values
            .next()
            .ok_or_else(|| StoreError::corrupt(format!("the row has no column {}", self.column)))
    }

    fn unexpected(&self, wanted: &str, found: &Value) -> StoreError {
        StoreError::corrupt(format!("column {} is not {wanted} but {found:?}", self.column))
    }

    pub(crate) fn text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(text),
            Some(Value::Int(number)) => Ok(number.map(|number| number.to_string())),
            Some(Value::Bool(flag)) => Ok(flag.map(|flag| flag.to_string())),
            Some(Value::Token(token)) => Ok(token.map(|token| token.to_string())),
            Some(Value::Bytes(bytes)) => Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
            Some(found @ (Value::Time(_) | Value::Naive(_))) => Err(self.unexpected("text", &found)),
        }
    }

    /// The value as it came; `None` for NULL.
    pub(crate) fn value(&mut self) -> Result<Option<Value>, StoreError> {
        self.next()
    }

    /// A number that may be stored as text; `None` where it is none.
    pub(crate) fn number(&mut self) -> Result<Option<i64>, StoreError> {
        Ok(match self.next()? {
            Some(Value::Int(number)) => number,
            Some(Value::Text(Some(text))) => text.trim().parse().ok(),
            _ => None,
        })
    }

    pub(crate) fn bytes(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(bytes),
            Some(Value::Text(text)) => Ok(text.map(String::into_bytes)),
            Some(found) => Err(self.unexpected("a string of bytes", &found)),
        }
    }

    pub(crate) fn int(&mut self) -> Result<Option<i64>, StoreError> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(number),
            Some(Value::Bool(flag)) => Ok(flag.map(i64::from)),
            Some(found) => Err(self.unexpected("a number", &found)),
        }
    }

    pub(crate) fn bool(&mut self) -> Result<Option<bool>, StoreError> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::Int(number)) => Ok(number.map(|number| number != 0)),
            Some(found) => Err(self.unexpected("true or false", &found)),
        }
    }

    pub(crate) fn token(&mut self) -> Result<Option<Token>, StoreError> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Token(token)) => Ok(token),
            Some(Value::Text(text)) => text
                .map(|text| text.parse())
                .transpose()
                .map_err(|_| StoreError::corrupt("the claim token is no UUID")),
            Some(found) => Err(self.unexpected("a claim token", &found)),
        }
    }

    pub(crate) fn time(&mut self) -> Result<Option<Timestamp>, StoreError> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Time(at)) => Ok(at),
            Some(Value::Int(micros)) => Ok(micros.map(Timestamp::from_micros)),
            Some(found) => Err(self.unexpected("a point in time", &found)),
        }
    }

    pub(crate) fn required<T>(&self, value: Option<T>) -> Result<T, StoreError> {
        value.ok_or_else(|| StoreError::corrupt(format!("column {} is NULL", self.column)))
    }
}
