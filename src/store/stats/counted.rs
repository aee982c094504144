//! A number, and how it is known.

use super::COUNTED;

/// A number and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The number; 0 where nobody knows it.
    pub value: u64,
    /// How it was found, and whether it was.
    pub how: How,
}

/// An unknown number is null, and not 0.
impl serde::Serialize for Counted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = serializer.serialize_struct("Counted", 2)?;
        fields.serialize_field("value", &self.known())?;
        fields.serialize_field("how", &self.how)?;
        fields.end()
    }
}

impl Counted {
    pub(in crate::store) fn exact(value: i64) -> Self {
        Self { value: u64::try_from(value).unwrap_or(0), how: How::Exact }
    }

    pub(super) fn capped(value: i64) -> Self {
        let how = if value >= COUNTED { How::AtLeast } else { How::Exact };
        Self { how, ..Self::exact(value) }
    }

    /// The number, where anything is known of it.
    pub fn known(self) -> Option<u64> {
        (self.how != How::Unknown).then_some(self.value)
    }

    /// Nobody counted.
    pub(in crate::store) fn unknown() -> Self {
        Self { value: 0, how: How::Unknown }
    }

    /// Counted up to `most`.
    pub(in crate::store) fn up_to(most: u64, value: u64) -> Self {
        Self { value, how: if value >= most { How::AtLeast } else { How::Exact } }
    }

    /// Both together; as uncertain as the less certain one.
    pub(super) fn and(self, other: Self) -> Self {
        let how = match (self.how, other.how) {
            (How::Unknown, How::Unknown) => How::Unknown,
            (How::Unknown, _) | (_, How::Unknown) => How::AtLeast,
            (How::Estimate, _) | (_, How::Estimate) => How::Estimate,
            (How::AtLeast, _) | (_, How::AtLeast) => How::AtLeast,
            (How::Exact, How::Exact) => How::Exact,
        };
        Self { value: self.value.saturating_add(other.value), how }
    }

    pub(super) fn estimate(value: i64) -> Self {
        Self { how: How::Estimate, ..Self::exact(value) }
    }
}

/// How a number was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Counted.
    Exact,
    /// From statistics.
    Estimate,
    /// Counting stopped here.
    AtLeast,
    /// Nobody counted, and nothing tells.
    Unknown,
}
