//! The ground under tables and stores: dialects, names, values, rows, and statements as values.

mod column;
mod dialect;
mod grammar;
mod ident;
mod row;
mod statement;
mod template;
mod value;

pub use dialect::Dialect;
pub use grammar::Fraction;
pub use ident::{Ident, InvalidName, TableName};

pub(crate) use column::{Column, Family};
pub(crate) use grammar::{Grammar, TextClock};
pub(crate) use row::{Row, Unreadable};
pub(crate) use statement::Statement;
pub(crate) use template::{Template, TemplateError};
#[cfg(feature = "postgres")]
pub(crate) use value::Far;
pub(crate) use value::{Real, Value, raw_text};
