//! Fingerprints: a hash of what identifies the request, so that a reused key with other content is
//! noticed.

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use super::canonical_json::{self, InvalidJson};
use super::key::hex;

/// The prefix of a hash over the bytes as they are.
const RAW: &str = "sha256:";
/// The prefix of a hash over canonical JSON (RFC 8785).
const JCS: &str = "sha256-jcs:";

/// What identifies a request, as SHA-256, with the rule that made it.
///
/// A fingerprint remembers what the other rule would have given as well: a row stored under one
/// rule can so be compared with a request that prefers the other.
///
/// ```
/// # use idemctl::protocol::Fingerprint;
/// // The same JSON in another spelling is the same request.
/// let first = Fingerprint::json(br#"{"amount": 10.0, "to": "A"}"#)?;
/// let retry = Fingerprint::json(br#"{"to":"A","amount":10}"#)?;
/// assert_eq!(first.to_string(), retry.to_string());
/// // Raw bytes are compared as they are.
/// assert_ne!(Fingerprint::raw(b"a").to_string(), Fingerprint::raw(b"a ").to_string());
/// # Ok::<(), idemctl::protocol::InvalidJson>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fingerprint {
    rule: Rule,
    raw: String,
    /// Under the rule for raw bytes it is made when somebody needs it: most requests are no retries.
    jcs: OnceLock<Option<String>>,
    /// What is hashed before the body, and the body, as long as it may still be needed.
    request: Option<Arc<(Vec<u8>, Vec<u8>)>>,
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Self) -> bool {
        (self.rule, &self.raw) == (other.rule, &other.raw)
    }
}
impl Eq for Fingerprint {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Raw,
    Jcs,
}

impl Fingerprint {
    /// Over the bytes as they are: `sha256:` and the digits that `sha256sum` prints.
    pub fn raw(bytes: &[u8]) -> Self {
        Self::bytes(Vec::new(), bytes)
    }

    /// Over the canonical form (RFC 8785) of a JSON document.
    ///
    /// Numbers that a double can't hold exactly are kept as written, never rounded together.
    ///
    /// # Errors
    /// [`InvalidJson`] when it is not JSON, names a member twice, or is nested too deep.
    pub fn json(bytes: &[u8]) -> Result<Self, InvalidJson> {
        Self::canonical(Vec::new(), bytes)
    }

    /// Over a whole request, its body's bytes as they are.
    pub fn request(method: &str, path: &str, query: &str, body: &[u8]) -> Self {
        Self::bytes(request_head(method, path, query), body)
    }

    /// Over a whole request with a JSON body.
    ///
    /// # Errors
    /// [`InvalidJson`] as for [`Fingerprint::json`].
    pub fn json_request(method: &str, path: &str, query: &str, body: &[u8]) -> Result<Self, InvalidJson> {
        Self::canonical(request_head(method, path, query), body)
    }

    fn bytes(head: Vec<u8>, body: &[u8]) -> Self {
        let raw = format!("{RAW}{}", hash(&head, body));
        let request = Some(Arc::new((head, body.to_vec())));
        Self { rule: Rule::Raw, raw, jcs: OnceLock::new(), request }
    }

    fn canonical(head: Vec<u8>, body: &[u8]) -> Result<Self, InvalidJson> {
        let raw = format!("{RAW}{}", hash(&head, body));
        let jcs = Some(canonical_hash(&head, body)?);
        Ok(Self { rule: Rule::Jcs, raw, jcs: jcs.into(), request: None })
    }

    /// As it would be stored under the rule for canonical JSON; `None` where the body has no such form.
    fn jcs(&self) -> Option<&str> {
        let make = || self.request.as_deref().and_then(|(head, body)| canonical_hash(head, body).ok());
        self.jcs.get_or_init(make).as_deref()
    }
}

fn hash(head: &[u8], body: &[u8]) -> String {
    hex(&Sha256::new().chain_update(head).chain_update(body).finalize())
}

fn canonical_hash(head: &[u8], body: &[u8]) -> Result<String, InvalidJson> {
    let canonical = canonical_json::canonicalize(body)?;
    Ok(format!("{JCS}{}", hash(head, canonical.as_bytes())))
}

/// Method, path and query before a body, such that no two requests run together: a JSON list ends
/// where it ends, whatever its strings contain.
fn request_head(method: &str, path: &str, query: &str) -> Vec<u8> {
    let mut head = serde_json::json!([method, path, query]).to_string().into_bytes();
    head.push(b'\n');
    head
}

impl fmt::Display for Fingerprint {
    /// As it is stored: the rule's prefix and 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.rule {
            Rule::Raw => &self.raw,
            Rule::Jcs => self.jcs().unwrap_or(&self.raw),
        })
    }
}

/// The rule that made a stored fingerprint: `sha256` over raw bytes, `sha256-jcs` over canonical JSON;
/// `None` where it names none that is known.
pub fn rule(stored: &str) -> Option<&'static str> {
    [RAW, JCS]
        .into_iter()
        .find(|prefix| stored.starts_with(prefix))
        .map(|prefix| prefix.trim_end_matches(':'))
}

/// Whether a request matches a stored fingerprint, by the rule that the stored one names. A side
/// without a fingerprint matches; a rule that can't be applied to this request does not.
pub fn matches(stored: Option<&str>, request: Option<&Fingerprint>) -> bool {
    match (stored, request) {
        (None, _) | (_, None) => true,
        // The canonical form costs more than the bytes: it is asked for only where it was stored.
        (Some(stored), Some(request)) if stored.starts_with(JCS) => request.jcs() == Some(stored),
        (Some(stored), Some(request)) => request.raw == stored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_is_what_sha256sum_prints() {
        assert_eq!(
            Fingerprint::raw(b"abc").to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn the_canonical_form_is_made_only_where_it_is_compared_with() {
        let request = Fingerprint::raw(br#"{"a":1}"#);
        assert!(matches(Some(&request.to_string()), Some(&request)));
        assert!(request.jcs.get().is_none());
        assert!(!matches(Some("sha256-jcs:00"), Some(&request)));
        assert!(request.jcs.get().is_some());
    }

    #[test]
    fn compares_by_the_stored_rule() {
        let spaced = br#"{ "a": 1 }"#;
        let stored_as_json = Fingerprint::json(br#"{"a":1}"#).unwrap().to_string();
        // A raw fingerprint of another spelling matches a row stored as canonical JSON ...
        assert!(matches(Some(&stored_as_json), Some(&Fingerprint::raw(spaced))));
        // ... but not one stored as raw bytes.
        let stored_as_raw = Fingerprint::raw(br#"{"a":1}"#).to_string();
        assert!(!matches(Some(&stored_as_raw), Some(&Fingerprint::json(spaced).unwrap())));
        // What is no JSON can't be compared by the canonical rule.
        assert!(!matches(Some(&stored_as_json), Some(&Fingerprint::raw(b"a=1"))));
        assert!(!matches(Some("md5:00"), Some(&Fingerprint::raw(b"a=1"))));
        assert!(matches(None, Some(&Fingerprint::raw(b"x"))));
        assert!(matches(Some("sha256:00"), None));
    }

    #[test]
    fn parts_of_a_request_do_not_run_together() {
        let a = Fingerprint::request("POST", "/a", "b=1", b"");
        for other in [
            Fingerprint::request("POST", "/a\n", "b=1", b""),
            Fingerprint::request("POST", "/a?b=1", "", b""),
            Fingerprint::request("PUT", "/a", "b=1", b""),
            Fingerprint::request("POST", "/a", "b=1", b"\n"),
            Fingerprint::raw(b""),
        ] {
            assert_ne!(a.to_string(), other.to_string());
        }
    }
}
