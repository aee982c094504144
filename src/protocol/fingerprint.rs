//! Fingerprints: a hash of what identifies the request, so that a reused key with other content is
//! noticed.

use std::fmt;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    rule: Rule,
    raw: String,
    jcs: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Raw,
    Jcs,
}

impl Fingerprint {
    /// Over the bytes as they are: `sha256:` and the digits that `sha256sum` prints.
    pub fn raw(bytes: &[u8]) -> Self {
        Self::over(b"", bytes, Rule::Raw, canonical_json::canonicalize(bytes).ok())
    }

    /// Over the canonical form (RFC 8785) of a JSON document.
    ///
    /// Numbers that a double can't hold exactly are kept as written, never rounded together.
    ///
    /// # Errors
    /// [`InvalidJson`] when it is not JSON, names a member twice, or is nested too deep.
    pub fn json(bytes: &[u8]) -> Result<Self, InvalidJson> {
        let canonical = canonical_json::canonicalize(bytes)?;
        Ok(Self::over(b"", bytes, Rule::Jcs, Some(canonical)))
    }

    /// Over a whole request, its body's bytes as they are.
    pub fn request(method: &str, path: &str, query: &str, body: &[u8]) -> Self {
        let head = request_head(method, path, query);
        Self::over(&head, body, Rule::Raw, canonical_json::canonicalize(body).ok())
    }

    /// Over a whole request with a JSON body.
    ///
    /// # Errors
    /// [`InvalidJson`] as for [`Fingerprint::json`].
    pub fn json_request(method: &str, path: &str, query: &str, body: &[u8]) -> Result<Self, InvalidJson> {
        let canonical = canonical_json::canonicalize(body)?;
        Ok(Self::over(&request_head(method, path, query), body, Rule::Jcs, Some(canonical)))
    }

    fn over(head: &[u8], body: &[u8], rule: Rule, canonical: Option<String>) -> Self {
        let hash = |body: &[u8]| hex(&Sha256::new().chain_update(head).chain_update(body).finalize());
        Self {
            rule,
            raw: format!("{RAW}{}", hash(body)),
            jcs: canonical.map(|canonical| format!("{JCS}{}", hash(canonical.as_bytes()))),
        }
    }

    /// Every spelling under which this request may be stored, the preferred one first.
    pub(crate) fn spellings(&self) -> [Option<&str>; 2] {
        match self.rule {
            Rule::Raw => [Some(&self.raw), self.jcs.as_deref()],
            Rule::Jcs => [self.jcs.as_deref(), Some(&self.raw)],
        }
    }
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
        f.write_str(match (self.rule, &self.jcs) {
            (Rule::Jcs, Some(jcs)) => jcs,
            _ => &self.raw,
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
        (Some(stored), Some(request)) => request.spellings().contains(&Some(stored)),
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
