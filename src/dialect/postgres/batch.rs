//! One batch of the purge as one message: its statements with their values written into them.

use std::future::poll_fn;

use chrono::Datelike as _;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Either};

use crate::sql::Statement;
use crate::sql::Value;

/// How long the server has been at work on the message at hand, in microseconds.
pub(super) const WORKED: &str =
    "SELECT CAST(extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000000 AS bigint)";

/// Runs a script and gives for each of its statements the rows it changed, and its first row.
pub(super) async fn run_batch(
    connection: &mut PgConnection,
    script: &str,
) -> Result<Vec<(u64, Option<PgRow>)>, sqlx::Error> {
    let mut results = Vec::new();
    let mut first = None;
    let mut answers = sqlx::raw_sql(AssertSqlSafe(script)).fetch_many(connection);
    while let Some(answer) = poll_fn(|context| answers.as_mut().poll_next(context)).await {
        match answer? {
            Either::Right(row) => {
                first.get_or_insert(row);
            }
            Either::Left(result) => results.push((result.rows_affected(), first.take())),
        }
    }
    Ok(results)
}

/// The statement with its values written into it; `None` where one of them is not plain enough for that.
pub(super) fn inline(sql: &Statement, binds: &[Value]) -> Option<String> {
    let inlined = sql.inlined(|number| literal(binds.get(number.checked_sub(1)?)?))?;
    Some(inlined.as_str().to_owned())
}

/// A value as SQL, if it is a number, a moment of the calendar, or the position of a row.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Int(Some(number)) => Some(format!("({number})")),
        Value::Time(Some(at)) => {
            let year = at.to_datetime()?.year();
            (1..=9999).contains(&year).then(|| format!("timestamptz '{at}'"))
        }
        Value::Text(Some(text)) => {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"(,)".contains(&byte));
            plain.then(|| format!("'{text}'"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;

    #[test]
    fn values_of_our_own_making_are_written_into_a_statement_and_no_others() {
        let at = Timestamp::OLDEST_PLAUSIBLE;
        let time = "timestamptz '2000-01-01T00:00:00.000000Z'";
        let inlined = |sql: &str, binds: &[Value]| inline(&Statement::new(sql), binds);
        let binds: Vec<Value> = (1..=10).map(|number| Value::from(i64::from(number))).collect();
        assert_eq!(inlined("$1-$10,$2", &binds).unwrap(), "(1)-(10),(2)");
        assert_eq!(inlined("a > $1 AND b", &[at.into()]).unwrap(), format!("a > {time} AND b"));
        assert_eq!(inlined("CAST($1 AS tid)", &["(7,0)".into()]).unwrap(), "CAST('(7,0)' AS tid)");
        // Names and texts stay as they are, whatever they look like.
        let odd = r#""a$1" > $1 AND b <> 'it''s $2' AND "c""$1" = $1"#;
        let wanted = r#""a$1" > (-5) AND b <> 'it''s $2' AND "c""$1" = (-5)"#;
        assert_eq!(inlined(odd, &[Value::from(-5)]).unwrap(), wanted);
        for strange in [
            "x".into(),
            "'".into(),
            Value::Int(None),
            Value::from(true),
            Timestamp::MAX.into(),
            Timestamp::MIN.into(),
            Timestamp::from_micros(i64::MAX / 10).into(),
        ] {
            assert_eq!(inlined("$1", std::slice::from_ref(&strange)), None, "{strange:?}");
        }
        assert_eq!(inlined("$2", &[Value::from(1)]), None);
    }
}
