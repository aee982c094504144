//! How PostgreSQL writes what each dialect writes in its own way.

use crate::protocol::Timestamp;
use crate::sql::{Column, Family, Fraction, Grammar, TextClock};

pub(crate) struct PostgresGrammar;

/// The days of the calendar, as a regular expression.
const CALENDAR: &str = "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)\
                        |02-(0[1-9]|1[0-9]|2[0-8]))\
                        |([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)";

impl Grammar for PostgresGrammar {
    fn quote(&self, name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    fn number(&self, number: i64) -> String {
        format!("'{number}'")
    }

    fn flag(&self, flag: bool) -> String {
        format!("'{flag}'")
    }

    fn token_type(&self) -> &'static str {
        "uuid"
    }

    fn body_type(&self) -> &'static str {
        "bytea"
    }

    fn moment_type(&self) -> &'static str {
        "timestamptz"
    }

    /// And not now(), which is the transaction's start.
    fn now(&self) -> &'static str {
        "clock_timestamp()"
    }

    fn shifted_now(&self, micros: i64) -> String {
        format!("(clock_timestamp() + {micros} * interval '1 microsecond')")
    }

    fn moment(&self, at: Timestamp) -> String {
        format!("(timestamptz 'epoch' + {} * interval '1 microsecond')", at.as_micros())
    }

    fn microseconds(&self) -> &'static str {
        "* interval '1 microsecond'"
    }

    /// The difference of two moments counts in days, and a day on a connection with a local time zone may have 23 or
    /// 25 hours. A clock that no claim set, and an expiry that somebody moved before its claim, say nothing about the
    /// span: then it is that of most keys.
    fn claimed_span(&self) -> &'static str {
        "CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' \
         AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' \
         AND expires_at >= claimed_at + interval '1 second' \
         THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) \
         * interval '1 microsecond' ELSE interval '24 hours' END"
    }

    fn is_endless(&self) -> &'static str {
        "expires_at > timestamptz '100000-01-01 00:00:00+00'"
    }

    fn text(&self, column: &str, family: Option<Family>) -> String {
        match family {
            None => column.to_owned(),
            Some(_) => format!("CAST({column} AS text)"),
        }
    }

    fn name(&self, column: &str, family: Option<Family>) -> String {
        self.text(column, family)
    }

    fn bind(&self, bind: &str, column: Option<&Column>) -> String {
        match column {
            Some(known) if known.family != Family::Text => format!("CAST({bind} AS {})", known.sql_type),
            _ => bind.to_owned(),
        }
    }

    fn equals(&self, quoted: &str, bind: &str, column: Option<&Column>) -> String {
        format!("{quoted} = {}", self.bind(bind, column))
    }

    fn exact(&self, column: &str) -> String {
        format!("CAST({column} AS text) COLLATE \"C\"")
    }

    fn is_flag(&self, column: &str, set: bool) -> String {
        format!("{column} IS {}TRUE", if set { "" } else { "NOT " })
    }

    /// What is beyond a bigint, infinity and NaN among it, is at the end of time, as it compares.
    fn epoch(&self, column: &str, family: Family) -> String {
        match family {
            Family::Integer => format!("CAST({column} AS bigint)"),
            _ => format!(
                "CASE WHEN {column} >= 9e18 THEN 9223372036854775807 \
                 WHEN {column} <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil({column}) AS bigint) END"
            ),
        }
    }

    fn clock_text(&self, column: &str) -> String {
        format!("CAST({column} AS text)")
    }

    fn is_number(&self, _column: &str) -> Option<String> {
        None
    }

    fn is_spelled(&self, column: &str, clock: TextClock<'_>) -> String {
        let fraction = match clock.fraction {
            Fraction::None => String::new(),
            Fraction::Digits(digits) => format!("[.][0-9]{{{digits}}}"),
            Fraction::Any => "([.][0-9]{1,9})?".to_owned(),
        };
        let pattern = format!(
            "^{CALENDAR}{}([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]{fraction}{}$",
            clock.separator,
            clock.suffix.replace('+', "[+]"),
        );
        format!("{column} ~ {}", self.literal(&pattern))
    }

    fn json_member(&self, column: &str, family: Option<Family>, path: &str) -> Option<String> {
        let family = family.filter(|family| matches!(family, Family::Json | Family::Jsonb))?;
        let levels: Vec<String> = path.split('.').map(|level| self.literal(level)).collect();
        let member = format!("json_extract_path_text(CAST({column} AS json), {})", levels.join(", "));
        Some(match family {
            Family::Jsonb => member,
            // Such an escape may be no character: PostgreSQL stores it, and fails over it here.
            _ => format!("CASE WHEN CAST({column} AS text) !~* '\\\\u(0000|d[89a-f])' THEN {member} END"),
        })
    }

    fn number_of(&self, stored: &str, family: Option<Family>) -> String {
        match family {
            Some(family) if family != Family::Integer => format!(
                "CASE WHEN CAST({stored} AS text) ~ '^[0-9]{{1,9}}$' THEN CAST(CAST({stored} AS text) AS bigint) END"
            ),
            _ => stored.to_owned(),
        }
    }

    /// What needs no decompression of a large value.
    fn body_bytes(&self, column: &str, family: Family) -> Option<String> {
        matches!(family, Family::Text | Family::Bytes)
            .then(|| format!("CAST(octet_length({column}) AS bigint)"))
    }

    fn body(&self, column: &str, family: Option<Family>) -> String {
        match family {
            None | Some(Family::Bytes) => column.to_owned(),
            Some(_) => format!("CAST({column} AS text)"),
        }
    }

    /// An array for each column.
    fn listed(&self, columns: &[String], first: usize, typed: &dyn Fn(usize, &str) -> String) -> String {
        let each =
            |text: &dyn Fn(usize) -> String| (0..columns.len()).map(text).collect::<Vec<_>>().join(", ");
        format!(
            "({}) IN (SELECT {} FROM unnest({}) AS u ({}))",
            columns.join(", "),
            each(&|at| typed(at, &format!("u.c{at}"))),
            each(&|at| format!("CAST(${} AS text[])", first + at)),
            each(&|at| format!("c{at}")),
        )
    }

    fn explain(&self) -> &'static str {
        "EXPLAIN"
    }

    fn plan_columns(&self) -> usize {
        0
    }
}
