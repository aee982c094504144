//! How SQLite writes what each dialect writes in its own way.

use crate::protocol::Timestamp;
use crate::sql::{Column, Family, Fraction, Grammar, TextClock};

pub(crate) struct SqliteGrammar;

/// Milliseconds are what SQLite's clock offers; julianday() is in every version.
const NOW: &str = "(CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)";

impl Grammar for SqliteGrammar {
    /// In backticks: SQLite takes an unknown name in double quotes for a string, and such a condition is true for
    /// every row.
    fn quote(&self, name: &str) -> String {
        format!("`{}`", name.replace('`', "``"))
    }

    fn number(&self, number: i64) -> String {
        number.to_string()
    }

    fn flag(&self, flag: bool) -> String {
        i64::from(flag).to_string()
    }

    fn token_type(&self) -> &'static str {
        "text"
    }

    fn body_type(&self) -> &'static str {
        "blob"
    }

    fn moment_type(&self) -> &'static str {
        "integer"
    }

    fn now(&self) -> &'static str {
        NOW
    }

    fn shifted_now(&self, micros: i64) -> String {
        format!("({NOW} + ({micros}))")
    }

    fn moment(&self, at: Timestamp) -> String {
        format!("({})", at.as_micros())
    }

    fn microseconds(&self) -> &'static str {
        "* 1"
    }

    fn claimed_span(&self) -> &'static str {
        "CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 \
         AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 \
         THEN expires_at - claimed_at ELSE 86400000000 END"
    }

    fn is_endless(&self) -> &'static str {
        "expires_at > 3093527980800000000"
    }

    fn text(&self, column: &str, family: Option<Family>) -> String {
        match family {
            None => column.to_owned(),
            Some(Family::Bytes) => {
                format!(
                    "CASE typeof({column}) WHEN 'blob' THEN lower(hex({column})) ELSE CAST({column} AS text) END"
                )
            }
            Some(_) => format!("CAST({column} AS text)"),
        }
    }

    /// In its own storage class, since 5, '5' and x'35' are three values.
    fn name(&self, column: &str, _family: Option<Family>) -> String {
        column.to_owned()
    }

    fn bind(&self, bind: &str, _column: Option<&Column>) -> String {
        bind.to_owned()
    }

    fn equals(&self, quoted: &str, bind: &str, column: Option<&Column>) -> String {
        let Some(known) = column else { return format!("{quoted} = {bind}") };
        // Text and bytes are different values here, and either may have been stored.
        let mut ways = vec![bind.to_owned(), format!("unhex({bind})")];
        if known.family == Family::Bytes {
            // No type converts a number here.
            ways.extend(["integer", "real"].map(|class| {
                format!(
                    "CASE WHEN CAST(CAST({bind} AS {class}) AS text) = {bind} THEN CAST({bind} AS {class}) END"
                )
            }));
        }
        format!("{quoted} IN ({})", ways.join(", "))
    }

    fn exact(&self, column: &str) -> String {
        format!("{column} COLLATE BINARY")
    }

    /// What a library writes for false into a column that binds no value counts as false.
    fn is_flag(&self, column: &str, set: bool) -> String {
        let (is_null, not, or) = if set { ("IS NOT NULL", "NOT ", "AND") } else { ("IS NULL", "", "OR") };
        format!("({column} {is_null} {or} lower(CAST({column} AS text)) {not}IN ('0', 'f', 'false'))")
    }

    fn epoch(&self, column: &str, _family: Family) -> String {
        format!(
            "CASE WHEN typeof({column}) = 'real' AND abs({column}) < 9e18 \
             THEN CAST({column} AS integer) + ({column} > CAST({column} AS integer)) ELSE {column} END"
        )
    }

    fn clock_text(&self, column: &str) -> String {
        column.to_owned()
    }

    /// SQLite stores text in a column of numbers, and sorts all text after all numbers.
    fn is_number(&self, column: &str) -> Option<String> {
        Some(format!("typeof({column}) IN ('integer', 'real')"))
    }

    fn is_spelled(&self, column: &str, clock: TextClock<'_>) -> String {
        let date = "[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]";
        let time = "[0-2][0-9]:[0-5][0-9]:[0-5][0-9]";
        let glob = |digits: u8| {
            let fraction = match digits {
                0 => String::new(),
                digits => format!(".{}", "[0-9]".repeat(usize::from(digits))),
            };
            let pattern = format!("{date}{}{time}{fraction}{}", clock.separator, clock.suffix);
            format!("{column} GLOB {}", self.literal(&pattern))
        };
        let shape = match clock.fraction {
            Fraction::None => glob(0),
            Fraction::Digits(digits) => glob(digits),
            Fraction::Any => format!("({})", (0..=9).map(glob).collect::<Vec<_>>().join(" OR ")),
        };
        // The shape lets a 19th month and an hour 29 pass, SQLite's calendar a 30th of February, which it takes for a
        // day in March, and an hour 24. Both take bytes for text, and see a text only up to its first NUL.
        format!(
            "{shape} AND date(substr({column}, 1, 19), '+0 days') = substr({column}, 1, 10) \
             AND substr({column}, 12, 2) < '24' \
             AND typeof({column}) = 'text' AND instr(CAST({column} AS blob), x'00') = 0"
        )
    }

    fn json_member(&self, column: &str, _family: Option<Family>, path: &str) -> Option<String> {
        let levels: String =
            path.split('.').map(|level| format!(".\"{}\"", level.replace('"', ""))).collect();
        let path = self.literal(&format!("${levels}"));
        Some(format!("CASE WHEN json_valid({column}) THEN json_extract({column}, {path}) END"))
    }

    fn number_of(&self, stored: &str, family: Option<Family>) -> String {
        match family {
            Some(_) => format!("CAST({stored} AS integer)"),
            None => stored.to_owned(),
        }
    }

    fn body_bytes(&self, column: &str, _family: Family) -> Option<String> {
        Some(format!("length(CAST({column} AS blob))"))
    }

    fn body(&self, column: &str, _family: Option<Family>) -> String {
        column.to_owned()
    }

    /// One JSON array. Each value comes with its storage class, since JSON has neither bytes nor texts that are no
    /// UTF-8.
    fn listed(&self, columns: &[String], first: usize, _typed: &dyn Fn(usize, &str) -> String) -> String {
        let values: Vec<String> = (0..columns.len())
            .map(|at| {
                let value = format!("json_extract(value, '$[{}]')", 2 * at + 1);
                format!(
                    "CASE json_extract(value, '$[{}]') WHEN 'blob' THEN unhex({value}) \
                     WHEN 'raw' THEN CAST(unhex({value}) AS text) ELSE {value} END",
                    2 * at
                )
            })
            .collect();
        format!("({}) IN (SELECT {} FROM json_each(${first}))", columns.join(", "), values.join(", "))
    }

    fn explain(&self) -> &'static str {
        "EXPLAIN QUERY PLAN"
    }

    /// id, parent, notused
    fn plan_columns(&self) -> usize {
        3
    }
}
