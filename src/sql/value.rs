//! Values on their way into a statement and out of a row, the same for every dialect.

use crate::protocol::{Timestamp, Token};

/// One bind. Every variant may be NULL, since PostgreSQL wants to know the type of a NULL too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(Option<String>),
    /// Text that is no UTF-8: SQLite checks nothing, nor does PostgreSQL in a database in SQL_ASCII.
    RawText(Option<Vec<u8>>),
    Bytes(Option<Vec<u8>>),
    /// A number with a fraction, as SQLite has it.
    Real(Option<Real>),
    Int(Option<i64>),
    Bool(Option<bool>),
    Token(Option<Token>),
    Time(Option<Timestamp>),
    /// What a clock on the wall shows, as if it hung in UTC; PostgreSQL's `timestamp`.
    Naive(Option<Timestamp>),
    /// A moment of PostgreSQL's that is further away than ours reach.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "only PostgreSQL has them"))]
    Far(Far),
}

/// A moment after the year 294246, as PostgreSQL counts it: in microseconds since 2000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Far {
    pub(crate) micros: i64,
    /// It is a `timestamp`, without a zone.
    pub(crate) naive: bool,
}

/// A floating point number that is compared by its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Real(u64);

impl Real {
    #[cfg(feature = "sqlite")]
    pub(crate) fn new(number: f64) -> Self {
        Self(number.to_bits())
    }

    pub(crate) fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// The whole number that it is, if it is one.
    pub(crate) fn whole(self) -> Option<i64> {
        let number = self.get();
        (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
    }
}

impl std::fmt::Display for Real {
    /// With its fraction, even where that is zero.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.get())
    }
}

/// Bytes for people, and for giving them back to us.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text that is no UTF-8 of which these are the bytes in hexadecimal, as [`Value::name`] shows it.
pub(crate) fn raw_text(name: &str) -> Option<Value> {
    let digits: Option<Vec<u8>> =
        name.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    let bytes = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    Some(Value::text_of(bytes)).filter(|value| matches!(value, Value::RawText(_)))
}

impl Value {
    /// Text of a database that does not check it.
    pub(crate) fn text_of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(Some(text)),
            Err(error) => Self::RawText(Some(error.into_bytes())),
        }
    }

    /// What names a row, as people read and write it; what is no text stands there in hexadecimal.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Text(Some(text)) => text.clone(),
            Self::RawText(Some(bytes)) | Self::Bytes(Some(bytes)) => hex(bytes),
            other => other.to_string(),
        }
    }

    /// The fencing token that it spells, in whichever spelling.
    pub(crate) fn as_token(&self) -> Option<Token> {
        match self {
            Self::Token(token) => *token,
            Self::Text(Some(text)) => text.parse().ok(),
            _ => None,
        }
    }

    /// The whole number that it is or spells.
    pub(crate) fn as_number(&self) -> Option<i64> {
        match self {
            Self::Int(number) => *number,
            Self::Bool(flag) => flag.map(i64::from),
            Self::Real(number) => number.and_then(Real::whole),
            Self::Text(Some(text)) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The flag that it is.
    pub(crate) fn as_flag(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => *flag,
            Self::Int(number) => number.map(|number| number != 0),
            _ => None,
        }
    }

    /// A NULL of the type that this value has.
    pub(crate) fn null(&self) -> Self {
        match self {
            Self::Text(_) => Self::Text(None),
            Self::RawText(_) => Self::RawText(None),
            Self::Bytes(_) => Self::Bytes(None),
            Self::Real(_) => Self::Real(None),
            Self::Int(_) => Self::Int(None),
            Self::Bool(_) => Self::Bool(None),
            Self::Token(_) => Self::Token(None),
            Self::Time(_) => Self::Time(None),
            Self::Naive(_) | Self::Far(Far { naive: true, .. }) => Self::Naive(None),
            Self::Far(_) => Self::Time(None),
        }
    }
}

impl std::fmt::Display for Value {
    /// For people who have to be told that a value is not what it should be.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(Some(text)) => write!(f, "{text:?}"),
            Self::Bytes(Some(bytes)) => write!(f, "{} bytes", bytes.len()),
            Self::RawText(Some(bytes)) => write!(f, "text that is no UTF-8: {}", hex(bytes)),
            Self::Real(Some(number)) => number.fmt(f),
            Self::Int(Some(number)) => number.fmt(f),
            Self::Bool(Some(flag)) => flag.fmt(f),
            Self::Token(Some(token)) => token.fmt(f),
            Self::Time(Some(at)) | Self::Naive(Some(at)) => at.fmt(f),
            Self::Far(_) => f.write_str("a moment after the year 294246"),
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
