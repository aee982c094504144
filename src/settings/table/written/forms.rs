//! Values that may be written in several forms: one name or a list, a text or a number, an encoding.

use std::fmt;

use chrono_tz::Tz;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::table::{Encoding, Literal, Spelling, Unit};

/// One name, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct NameList(pub Vec<String>);

impl<'de> Deserialize<'de> for NameList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> de::Visitor<'de> for Written {
            type Value = NameList;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a column, or a list of names")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<NameList, E> {
                Ok(NameList(vec![text.to_owned()]))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<NameList, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = seq.next_element()? {
                    names.push(name);
                }
                Ok(NameList(names))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar(pub Literal);

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Literal::Text(text) => serializer.serialize_str(text),
            Literal::Int(number) => serializer.serialize_i64(*number),
            Literal::Bool(flag) => serializer.serialize_bool(*flag),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = Scalar;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a whole number, true or false")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar(Literal::Text(text.to_owned())))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar(Literal::Int(number)))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Scalar, E> {
                i64::try_from(number)
                    .map(|number| Scalar(Literal::Int(number)))
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
            }
            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Scalar, E> {
                Ok(Scalar(Literal::Bool(flag)))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// One column that marks a row as in progress, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Marks(pub Vec<MarkColumn>);

/// A column that marks a row as in progress while it is set: its name, or `{ column = NAME, unset = [VALUE] }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MarkColumn {
    /// NULL means that it is not set, and false that a flag is not.
    Plain(String),
    /// So do these values.
    Unset {
        /// The column.
        column: String,
        /// The values.
        unset: Vec<Scalar>,
    },
}

impl MarkColumn {
    fn read<'de, A: de::MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        const FIELDS: [&str; 2] = ["column", "unset"];
        let (mut column, mut unset) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "column" => column = Some(map.next_value::<String>()?),
                "unset" => unset = Some(map.next_value::<Vec<Scalar>>()?),
                _ => return Err(de::Error::unknown_field(&key, &FIELDS)),
            }
        }
        let column = column.ok_or_else(|| de::Error::missing_field("column"))?;
        let unset = unset.ok_or_else(|| de::Error::missing_field("unset"))?;
        Ok(Self::Unset { column, unset })
    }
}

impl<'de> Deserialize<'de> for MarkColumn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> de::Visitor<'de> for Written {
            type Value = MarkColumn;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(MARK_COLUMN)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<MarkColumn, E> {
                Ok(MarkColumn::Plain(text.to_owned()))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<MarkColumn, A::Error> {
                MarkColumn::read(map)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

pub(super) const MARK_COLUMN: &str = "the name of a column, or { column = NAME, unset = [VALUE] }";

impl<'de> Deserialize<'de> for Marks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> de::Visitor<'de> for Written {
            type Value = Marks;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{MARK_COLUMN}, or a list of these")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Marks, E> {
                Ok(Marks(vec![MarkColumn::Plain(text.to_owned())]))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Marks, A::Error> {
                Ok(Marks(vec![MarkColumn::read(map)?]))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Marks, A::Error> {
                let mut marks = Vec::new();
                while let Some(mark) = seq.next_element()? {
                    marks.push(mark);
                }
                Ok(Marks(marks))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// How a clock is written: a name, `{ naive = ZONE }` or `{ text = SPELLING, zone = ZONE }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct As(pub Encoding);

impl Serialize for As {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for As {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        const NAMES: &str =
            "timestamptz, epoch_s, epoch_ms, epoch_us, { naive = \"UTC\" } or { text = \"iso8601\" }";
        impl<'de> de::Visitor<'de> for Written {
            type Value = As;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(NAMES)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<As, E> {
                Ok(As(match text {
                    "timestamptz" => Encoding::Timestamptz,
                    "epoch_s" => Encoding::Epoch(Unit::Seconds),
                    "epoch_ms" => Encoding::Epoch(Unit::Millis),
                    "epoch_us" => Encoding::Epoch(Unit::Micros),
                    _ => return Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<As, A::Error> {
                let (mut naive, mut text, mut zone) = (None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "naive" => naive = Some(map.next_value::<String>()?),
                        "text" => text = Some(map.next_value::<String>()?),
                        "zone" => zone = Some(map.next_value::<String>()?),
                        _ => return Err(de::Error::unknown_field(&key, &["naive", "text", "zone"])),
                    }
                }
                let parse = |name: &str| {
                    name.parse::<Tz>().map_err(|_| {
                        de::Error::custom(format!(
                            "there is no time zone {name:?}; name one like Europe/Berlin"
                        ))
                    })
                };
                match (naive, text, zone) {
                    (Some(zone), None, None) => Ok(As(Encoding::Naive(parse(&zone)?))),
                    (None, Some(text), zone) => {
                        let zone = zone.as_deref().map(parse).transpose()?.unwrap_or(Tz::UTC);
                        let spelling = Spelling::parse(&text, zone).map_err(de::Error::custom)?;
                        Ok(As(Encoding::Text(spelling)))
                    }
                    _ => Err(de::Error::custom(format!("write one of {NAMES}"))),
                }
            }
        }
        deserializer.deserialize_any(Written)
    }
}
