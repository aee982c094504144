//! What names a row: the key, the scope it belongs to, and the fencing token of one acquisition.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The longest key and the longest scope, in bytes.
pub const MAX_NAME_BYTES: usize = 255;

/// Input that is refused before any database sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidInput {
    /// A key must have at least one byte.
    #[error("the key is empty")]
    EmptyKey,
    /// Keys and scopes have at most [`MAX_NAME_BYTES`] bytes.
    #[error("the {what} has {bytes} bytes; at most {MAX_NAME_BYTES} are allowed")]
    TooLong {
        /// `key` or `scope`.
        what: &'static str,
        /// Its length in bytes.
        bytes: usize,
    },
    /// Control characters would not survive a log line, and NUL not the database.
    #[error("the {what} contains the control character U+{character:04X} at byte {at}")]
    ControlCharacter {
        /// `key` or `scope`.
        what: &'static str,
        /// The code point.
        character: u32,
        /// Where it stands.
        at: usize,
    },
    /// A ttl or lease outside one second to one hundred years.
    #[error("{span:?} is out of bounds: from one second to one hundred years")]
    Span {
        /// What was given.
        span: Duration,
    },
    /// Not the text of a token.
    #[error("not a claim token: {0:?}")]
    Token(String),
}

fn check(what: &'static str, text: &str) -> Result<(), InvalidInput> {
    if text.len() > MAX_NAME_BYTES {
        return Err(InvalidInput::TooLong { what, bytes: text.len() });
    }
    match text.char_indices().find(|(_, c)| c.is_control()) {
        Some((at, c)) => Err(InvalidInput::ControlCharacter { what, character: c as u32, at }),
        None => Ok(()),
    }
}

/// An idempotency key: 1 to 255 bytes of text without control characters, compared byte for byte.
///
/// ```
/// # use idemctl::protocol::Key;
/// assert!(Key::new("order-1234").is_ok());
/// assert!(Key::new("").is_err());
/// assert!(Key::new("a\nb").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Checks the text.
    ///
    /// # Errors
    /// [`InvalidInput`] when it is empty, too long, or has a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidInput> {
        let text = text.into();
        if text.is_empty() {
            return Err(InvalidInput::EmptyKey);
        }
        check("key", &text)?;
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Key {
    type Err = InvalidInput;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

/// On whose behalf a key is used: a tenant, user or client. At most 255 bytes; empty when the
/// caller has none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Default)]
#[serde(transparent)]
pub struct Scope(String);

impl Scope {
    /// Checks the text.
    ///
    /// # Errors
    /// [`InvalidInput`] when it is too long or has a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidInput> {
        let text = text.into();
        check("scope", &text)?;
        Ok(Self(text))
    }

    /// The scope of callers that have none: `''`.
    pub fn none() -> Self {
        Self::default()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Scope {
    type Err = InvalidInput;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

/// The fencing token of one acquisition, made at random by the client before it asks.
///
/// It is never a counter kept in the row: such a counter starts again after a purge, and an old
/// worker would then settle its successor's claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(Uuid);

impl Token {
    /// A new random token.
    pub fn random() -> Self {
        Self(Uuid::new_v4())
    }

    /// A token from its 128 bits.
    pub const fn from_u128(bits: u128) -> Self {
        Self(Uuid::from_u128(bits))
    }

    #[cfg(feature = "postgres")]
    pub(crate) const fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Token {
    type Err = InvalidInput;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self).map_err(|_| InvalidInput::Token(text.to_owned()))
    }
}

/// The key that a handler passes on when it calls another service for one of its steps: the same
/// (key, scope, step) always gives the same derived key, so that a retry of ours repeats theirs.
///
/// The result is 64 hexadecimal digits, which every provider accepts.
///
/// ```
/// # use idemctl::protocol::{Key, Scope, derive_key};
/// let (key, scope) = (Key::new("order-1")?, Scope::new("shop-7")?);
/// assert_eq!(derive_key(&key, &scope, "charge"), derive_key(&key, &scope, "charge"));
/// assert_ne!(derive_key(&key, &scope, "charge"), derive_key(&key, &scope, "refund"));
/// # Ok::<(), idemctl::protocol::InvalidInput>(())
/// ```
pub fn derive_key(key: &Key, scope: &Scope, step: &str) -> Key {
    let mut hash = Sha256::new();
    for part in [key.as_str(), scope.as_str(), step] {
        // The length goes first, so that ("ab", "c") and ("a", "bc") differ.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    Key(hex(&hash.finalize()))
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_bounds() {
        assert_eq!(Key::new(""), Err(InvalidInput::EmptyKey));
        assert!(Key::new("k".repeat(255)).is_ok());
        assert_eq!(Key::new("k".repeat(256)), Err(InvalidInput::TooLong { what: "key", bytes: 256 }));
        // The limit is in bytes, not characters.
        assert!(Key::new("ü".repeat(128)).is_err());
        assert!(Scope::new("").is_ok());
    }

    #[test]
    fn control_characters_are_refused() {
        for bad in ["a\0", "a\n", "\u{1b}[31m", "\u{7f}", "\u{9b}"] {
            assert!(Key::new(bad).is_err(), "{bad:?}");
            assert!(Scope::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn derived_keys_do_not_run_together() {
        let key = |text| Key::new(text).unwrap();
        let scope = |text| Scope::new(text).unwrap();
        assert_ne!(derive_key(&key("ab"), &scope("c"), ""), derive_key(&key("a"), &scope("bc"), ""));
        assert_eq!(derive_key(&key("a"), &scope(""), "s").as_str().len(), 64);
    }
}
