//! What each dialect writes in its own way, as the pieces that statements are made of. A new dialect answers each of
//! these once, in its folder.

use super::{Column, Family};
use crate::protocol::Timestamp;

/// The fraction of a second in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fraction {
    /// None.
    None,
    /// Exactly so many digits.
    Digits(u8),
    /// None, or one to nine digits.
    Any,
}

/// A text that stands for a moment, as a column holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextClock<'t> {
    /// `T` or a space.
    pub(crate) separator: char,
    pub(crate) fraction: Fraction,
    /// What follows: nothing, or one of the ways to say UTC.
    pub(crate) suffix: &'t str,
}

/// The grammar of a dialect. Columns come quoted, values as binds or as literals of [`Grammar::literal`].
pub(crate) trait Grammar: Sync {
    /// A name, quoted.
    fn quote(&self, name: &str) -> String;

    /// A text as a literal. These come from a mapping, not from a request.
    fn literal(&self, text: &str) -> String {
        format!("'{}'", text.replace('\'', "''"))
    }

    /// A whole number of a mapping, in the type of the column that it is compared with.
    fn number(&self, number: i64) -> String;

    /// True or false of a mapping.
    fn flag(&self, flag: bool) -> String;

    /// The type of a fencing token.
    fn token_type(&self) -> &'static str;

    /// The type of a body.
    fn body_type(&self) -> &'static str;

    /// The type of a moment of our own table.
    fn moment_type(&self) -> &'static str;

    /// The database's clock, at the statement's moment.
    fn now(&self) -> &'static str;

    /// The clock, shifted by so many microseconds.
    fn shifted_now(&self, micros: i64) -> String;

    /// Always the same moment.
    fn moment(&self, at: Timestamp) -> String;

    /// What makes a number of microseconds a length of time of our own table's clocks.
    fn microseconds(&self) -> &'static str;

    /// The length of time that the last claim of our own table gave a row to live.
    fn claimed_span(&self) -> &'static str;

    /// The condition that a row of our own table never expires.
    fn is_endless(&self) -> &'static str;

    /// A column read as text, whatever its type; `None` is a column of our own table that is text.
    fn text(&self, column: &str, family: Option<Family>) -> String;

    /// A column that names a row or its state, as it is read to be compared later.
    fn name(&self, column: &str, family: Option<Family>) -> String;

    /// A bind that came as text, in the type of the column that it is compared with.
    fn bind(&self, bind: &str, column: Option<&Column>) -> String;

    /// The condition that a column of a key or scope holds what a person wrote.
    fn equals(&self, quoted: &str, bind: &str, column: Option<&Column>) -> String;

    /// A column whose texts of different bytes may be equal, as an expression that is equal only to the same bytes.
    fn exact(&self, column: &str) -> String;

    /// The condition that a flag is set, or that it is not, of a column that may hold NULL.
    fn is_flag(&self, column: &str, set: bool) -> String;

    /// A clock of numbers as it is read: whole units, rounded up.
    fn epoch(&self, column: &str, family: Family) -> String;

    /// A clock of texts as it is read.
    fn clock_text(&self, column: &str) -> String;

    /// The condition that a column holds a number, where its type does not say so.
    fn is_number(&self, column: &str) -> Option<String>;

    /// The condition that a column holds a moment in exactly this spelling.
    fn is_spelled(&self, column: &str, clock: TextClock<'_>) -> String;

    /// A member of a JSON document as text, where the database itself can look into it.
    fn json_member(&self, column: &str, family: Option<Family>, path: &str) -> Option<String>;

    /// The number that a column or a member holds, or is written as; NULL where it is none.
    fn number_of(&self, stored: &str, family: Option<Family>) -> String;

    /// How many bytes a body has, where that can be told without reading it.
    fn body_bytes(&self, column: &str, family: Family) -> Option<String>;

    /// A body as it is read.
    fn body(&self, column: &str, family: Option<Family>) -> String;

    /// The condition that these columns of a row are among those that the binds from `first` on list, and how a
    /// listed text becomes a value of the n-th column.
    fn listed(&self, columns: &[String], first: usize, typed: &dyn Fn(usize, &str) -> String) -> String;

    /// What precedes a statement to learn how it would be run.
    fn explain(&self) -> &'static str;

    /// How many columns precede the text of a plan's line.
    fn plan_columns(&self) -> usize;
}
