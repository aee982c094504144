//! Our values in PostgreSQL's own forms, there and back.

use chrono::DateTime;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgArguments, PgRow, PgTypeInfo, PgValueFormat, PgValueRef, Postgres};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Column as _, Decode, Encode, Row as _, Type, TypeInfo as _, ValueRef as _};

use crate::dialect::StoreError;
use crate::protocol::{Timestamp, Token};
use crate::sql::Statement;
use crate::sql::{Far, Real, Row, Value};

/// 2000-01-01T00:00:00Z in microseconds since 1970: where PostgreSQL's binary clocks start.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;

/// Our timestamps travel in PostgreSQL's own binary form: exact to the microsecond, and with its
/// two infinities, which a calendar type could not hold.
impl Type<Postgres> for Timestamp {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("timestamptz")
    }
}

impl Encode<'_, Postgres> for Timestamp {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let micros = match *self {
            Self::MAX => i64::MAX,
            Self::MIN => i64::MIN,
            // The clamp keeps a far point in time finite and within the server's calendar.
            at => at
                .as_micros()
                .saturating_sub(POSTGRES_EPOCH)
                .clamp(-211_813_488_000_000_000, 9_223_371_331_199_999_999),
        };
        <i64 as Encode<'_, Postgres>>::encode_by_ref(&micros, buffer)
    }
}

impl Decode<'_, Postgres> for Timestamp {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        if value.format() == PgValueFormat::Text {
            // The answer to a script comes as text.
            return Ok(match value.as_str()? {
                "infinity" => Self::MAX,
                "-infinity" => Self::MIN,
                text => DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f%#z")?.to_utc().into(),
            });
        }
        let micros = <i64 as Decode<'_, Postgres>>::decode(value)?;
        Ok(match micros {
            i64::MAX => Self::MAX,
            i64::MIN => Self::MIN,
            micros => Self::from_micros(micros.saturating_add(POSTGRES_EPOCH)),
        })
    }
}

/// What a clock on the wall shows: `timestamp`, whose binary form is the same but for the zone.
struct Wall(Timestamp);

impl Type<Postgres> for Wall {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("timestamp")
    }
}

impl Encode<'_, Postgres> for Wall {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        self.0.encode_by_ref(buffer)
    }
}

impl Decode<'_, Postgres> for Wall {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        Timestamp::decode(value).map(Self)
    }
}

/// A moment beyond ours, as it was read.
impl Type<Postgres> for Far {
    fn type_info() -> PgTypeInfo {
        Timestamp::type_info()
    }
}

impl Encode<'_, Postgres> for Far {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <i64 as Encode<'_, Postgres>>::encode_by_ref(&self.micros, buffer)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(if self.naive { Wall::type_info() } else { Timestamp::type_info() })
    }
}

/// Where a moment lies beyond ours.
fn far(row: &PgRow, index: usize, naive: bool) -> Result<Option<Value>, StoreError> {
    let value = row.try_get_raw(index)?;
    if value.format() == PgValueFormat::Text {
        return Ok(None);
    }
    let micros = <i64 as Decode<'_, Postgres>>::decode(value).map_err(sqlx::Error::Decode)?;
    let is_far = micros != i64::MAX && micros.checked_add(POSTGRES_EPOCH).is_none();
    Ok(is_far.then_some(Value::Far(Far { micros, naive })))
}

/// Text that is sent as it was read, whatever its bytes.
struct RawText<'t>(&'t [u8]);

impl Type<Postgres> for RawText<'_> {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("text")
    }
}

impl Encode<'_, Postgres> for RawText<'_> {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&[u8] as Encode<'_, Postgres>>::encode_by_ref(&self.0, buffer)
    }
}

/// A statement with its values bound.
pub(super) fn query<'q>(
    sql: &Statement,
    binds: &'q [Value],
    prepared: bool,
) -> Query<'q, Postgres, PgArguments> {
    let mut query = sqlx::query(AssertSqlSafe(sql.text())).persistent(prepared);
    for bind in binds {
        query = match bind {
            Value::Text(text) => query.bind(text.as_deref()),
            Value::RawText(bytes) => query.bind(bytes.as_deref().map(RawText)),
            Value::Bytes(bytes) => query.bind(bytes.as_deref()),
            Value::Real(number) => query.bind(number.map(Real::get)),
            Value::Int(number) => query.bind(number),
            Value::Bool(flag) => query.bind(flag),
            Value::Token(token) => query.bind(token.map(Token::as_uuid)),
            Value::Time(at) => query.bind(at),
            Value::Naive(wall) => query.bind(wall.map(Wall)),
            Value::Far(far) => query.bind(*far),
        };
    }
    query
}

/// A row, column by column.
pub(super) fn read_row(row: &PgRow) -> Result<Row, StoreError> {
    let mut values = Vec::with_capacity(row.len());
    for column in row.columns() {
        let index = column.ordinal();
        if row.try_get_raw(index)?.is_null() {
            values.push(None);
            continue;
        }
        values.push(Some(match column.type_info().name() {
            // Its bytes are the same in both of the protocol's formats; plans come as JSON.
            "TEXT" | "VARCHAR" | "CHAR" | "NAME" | "JSON" => {
                let bytes = row.try_get_raw(index)?.as_bytes().map_err(sqlx::Error::Decode)?;
                Value::text_of(bytes.to_vec())
            }
            "\"CHAR\"" => Value::Text(row.try_get(index)?),
            "BYTEA" => Value::Bytes(row.try_get(index)?),
            "BOOL" => Value::Bool(row.try_get(index)?),
            "INT2" => Value::Int(row.try_get::<Option<i16>, _>(index)?.map(i64::from)),
            "INT4" => Value::Int(row.try_get::<Option<i32>, _>(index)?.map(i64::from)),
            "INT8" => Value::Int(row.try_get(index)?),
            "UUID" => {
                let uuid: uuid::Uuid = row.try_get(index)?;
                Value::Token(Some(Token::from_u128(uuid.as_u128())))
            }
            "TIMESTAMPTZ" => match far(row, index, false)? {
                Some(far) => far,
                None => Value::Time(row.try_get(index)?),
            },
            "TIMESTAMP" => match far(row, index, true)? {
                Some(far) => far,
                None => Value::Naive(row.try_get::<Option<Wall>, _>(index)?.map(|wall| wall.0)),
            },
            other => {
                return Err(StoreError::corrupt(format!(
                    "the column {} has the unexpected type {other}",
                    column.name()
                )));
            }
        }));
    }
    Ok(Row::new(values))
}
