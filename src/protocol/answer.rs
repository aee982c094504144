//! The stored answer: status, headers and body, which come back byte for byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

/// The largest body that is kept unless configured otherwise: 1 MiB.
pub const DEFAULT_ANSWER_LIMIT: usize = 1024 * 1024;

/// A body over the limit. It is refused and never cut: half an answer is worse than none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer's body has {bytes} bytes; at most {limit} are kept")]
pub struct AnswerTooLarge {
    /// Its size.
    pub bytes: u64,
    /// The limit it exceeds.
    pub limit: usize,
}

/// One header. The same name may come several times, and their order is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The name as it was sent.
    pub name: String,
    /// The value's bytes.
    pub value: Vec<u8>,
}

/// The body of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Its exact bytes.
    Kept(Vec<u8>),
    /// Too large to be kept; the work was done all the same.
    Omitted {
        /// The true size in bytes.
        bytes: u64,
    },
}

/// What the first request was answered, and every retry is answered again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status, or the exit code of `idemctl run`.
    pub status: Option<i32>,
    /// The headers, in order.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Body,
}

impl Answer {
    /// An answer without headers.
    pub fn new(status: i32, body: impl Into<Vec<u8>>) -> Self {
        Self { status: Some(status), headers: Vec::new(), body: Body::Kept(body.into()) }
    }

    /// Adds a header after those already there.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push(Header { name: name.into(), value: value.into() });
        self
    }

    /// The same answer with its body left out and its true size recorded.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        self.body = Body::Omitted { bytes: self.body_bytes() };
        self
    }

    /// The body's true size in bytes, kept or not.
    pub fn body_bytes(&self) -> u64 {
        match &self.body {
            Body::Kept(bytes) => bytes.len() as u64,
            Body::Omitted { bytes } => *bytes,
        }
    }

    /// Checks the body against the limit.
    ///
    /// # Errors
    /// [`AnswerTooLarge`] when one byte more than `limit` would have to be kept.
    pub fn check(&self, limit: usize) -> Result<(), AnswerTooLarge> {
        match &self.body {
            Body::Kept(bytes) if bytes.len() > limit => {
                Err(AnswerTooLarge { bytes: bytes.len() as u64, limit })
            }
            _ => Ok(()),
        }
    }

    /// The headers as they are stored: a JSON list of pairs, in ASCII, which every encoding holds. A value that is not text becomes
    /// `{"base64": …}`, so that no byte is lost.
    pub(crate) fn headers_to_json(&self) -> Option<String> {
        if self.headers.is_empty() {
            return None;
        }
        let pairs: Vec<(&str, HeaderValue)> = self
            .headers
            .iter()
            .map(|header| (header.name.as_str(), HeaderValue::from_bytes(&header.value)))
            .collect();
        // A list of strings always serializes.
        serde_json::to_string(&pairs).ok().map(|json| ascii_json(&json))
    }

    pub(crate) fn headers_from_json(json: Option<&str>) -> Result<Vec<Header>, String> {
        let Some(json) = json else { return Ok(Vec::new()) };
        let pairs: Vec<(String, HeaderValue)> =
            serde_json::from_str(json).map_err(|error| format!("stored headers: {error}"))?;
        pairs.into_iter().map(|(name, value)| Ok(Header { name, value: value.into_bytes()? })).collect()
    }
}

/// The same JSON in ASCII. Outside of its strings it is ASCII already.
pub(crate) fn ascii_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum HeaderValue {
    Text(String),
    Binary { base64: String },
}

impl HeaderValue {
    fn from_bytes(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Binary { base64: BASE64.encode(bytes) },
        }
    }

    fn into_bytes(self) -> Result<Vec<u8>, String> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Binary { base64 } => {
                BASE64.decode(base64).map_err(|error| format!("stored headers: {error}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_exact() {
        assert!(Answer::new(200, vec![0; 8]).check(8).is_ok());
        let error = Answer::new(200, vec![0; 9]).check(8).unwrap_err();
        assert_eq!(error, AnswerTooLarge { bytes: 9, limit: 8 });
        let omitted = Answer::new(200, vec![0; 9]).without_body();
        assert_eq!(omitted.body_bytes(), 9);
        assert!(omitted.check(8).is_ok());
    }

    #[test]
    fn headers_come_back_in_order_and_byte_for_byte() {
        let answer = Answer::new(200, "")
            .with_header("Set-Cookie", "a=1")
            .with_header("set-cookie", "b=2")
            .with_header("X-Raw", vec![0xff, 0x00, 0xfe])
            .with_header("X-Nul", vec![0])
            .with_header("X-Text", "ü \"quoted\" 😀")
            .with_header("X-ü", "");
        let json = answer.headers_to_json().unwrap();
        assert!(json.is_ascii(), "{json}");
        assert_eq!(Answer::headers_from_json(Some(&json)).unwrap(), answer.headers);
    }
}
