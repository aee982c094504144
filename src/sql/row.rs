//! What a query returned, read column by column.

use super::Value;
use crate::protocol::Timestamp;

/// A row that is not what its statement asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreadable(pub(crate) String);

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

    fn next(&mut self) -> Result<Option<Value>, Unreadable> {
        self.column += 1;
        self.values.next().ok_or_else(|| Unreadable(format!("the row has no column {}", self.column)))
    }

    fn unexpected(&self, wanted: &str, found: &Value) -> Unreadable {
        Unreadable(format!("column {} is not {wanted} but {found:?}", self.column))
    }

    pub(crate) fn text(&mut self) -> Result<Option<String>, Unreadable> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(text),
            Some(Value::Int(number)) => Ok(number.map(|number| number.to_string())),
            Some(Value::Bool(flag)) => Ok(flag.map(|flag| flag.to_string())),
            Some(Value::Token(token)) => Ok(token.map(|token| token.to_string())),
            Some(Value::Real(number)) => Ok(number.map(|number| number.to_string())),
            Some(Value::Bytes(bytes) | Value::RawText(bytes)) => {
                Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
            }
            Some(found @ (Value::Time(_) | Value::Naive(_) | Value::Far(_))) => {
                Err(self.unexpected("text", &found))
            }
        }
    }

    /// The value as it came; `None` for NULL.
    pub(crate) fn value(&mut self) -> Result<Option<Value>, Unreadable> {
        self.next()
    }

    /// A number that may be stored as text; `None` where it is none.
    pub(crate) fn number(&mut self) -> Result<Option<i64>, Unreadable> {
        Ok(self.next()?.and_then(|value| value.as_number()))
    }

    pub(crate) fn bytes(&mut self) -> Result<Option<Vec<u8>>, Unreadable> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Bytes(bytes) | Value::RawText(bytes)) => Ok(bytes),
            Some(Value::Text(text)) => Ok(text.map(String::into_bytes)),
            // A body in a column of any type is what it looks like as text.
            Some(Value::Int(Some(number))) => Ok(Some(number.to_string().into_bytes())),
            Some(Value::Real(Some(number))) => Ok(Some(number.to_string().into_bytes())),
            Some(found) => Err(self.unexpected("a string of bytes", &found)),
        }
    }

    pub(crate) fn int(&mut self) -> Result<Option<i64>, Unreadable> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(number),
            Some(Value::Bool(flag)) => Ok(flag.map(i64::from)),
            Some(found) => Err(self.unexpected("a number", &found)),
        }
    }

    pub(crate) fn bool(&mut self) -> Result<Option<bool>, Unreadable> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::Int(number)) => Ok(number.map(|number| number != 0)),
            Some(found) => Err(self.unexpected("true or false", &found)),
        }
    }

    pub(crate) fn time(&mut self) -> Result<Option<Timestamp>, Unreadable> {
        match self.next()? {
            None => Ok(None),
            Some(Value::Time(at)) => Ok(at),
            Some(Value::Int(micros)) => Ok(micros.map(Timestamp::from_micros)),
            Some(found) => Err(self.unexpected("a point in time", &found)),
        }
    }

    /// A text that is always there; a catalogue's NULL is a fact that could not be read.
    pub(crate) fn some_text(&mut self) -> Result<String, Unreadable> {
        let text = self.text()?;
        self.required(text)
    }

    /// As [`Row::some_text`].
    pub(crate) fn some_bool(&mut self) -> Result<bool, Unreadable> {
        let flag = self.bool()?;
        self.required(flag)
    }

    /// As [`Row::some_text`].
    pub(crate) fn some_int(&mut self) -> Result<i64, Unreadable> {
        let number = self.int()?;
        self.required(number)
    }

    /// A number that is always there and never negative.
    pub(crate) fn some_count(&mut self) -> Result<u64, Unreadable> {
        let number = self.some_int()?;
        u64::try_from(number)
            .map_err(|_| Unreadable(format!("column {} is {number}, and counts", self.column)))
    }

    pub(crate) fn required<T>(&self, value: Option<T>) -> Result<T, Unreadable> {
        value.ok_or_else(|| Unreadable(format!("column {} is NULL", self.column)))
    }
}
