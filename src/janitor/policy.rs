//! Whether a reaped key may be tried again, by its scope.

use globset::{Glob, GlobMatcher};

use crate::protocol::Retry;

/// A pattern of scopes: `*` stands for any text, `?` for one character, `[ab]` for one of these, `{a,b}` for
/// one of several texts.
///
/// ```
/// use idemctl::janitor::ScopePattern;
///
/// let pattern = ScopePattern::new("payments-*")?;
/// assert!(pattern.matches("payments-eu"));
/// assert!(!pattern.matches("orders"));
/// # Ok::<(), idemctl::janitor::InvalidPattern>(())
/// ```
#[derive(Debug, Clone)]
pub struct ScopePattern(GlobMatcher);

/// A text that is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidPattern(globset::Error);

impl ScopePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is none, a bracket that is never closed for example.
    pub fn new(text: &str) -> Result<Self, InvalidPattern> {
        Ok(Self(Glob::new(text).map_err(InvalidPattern)?.compile_matcher()))
    }

    /// Whether the whole scope is as the pattern says.
    pub fn matches(&self, scope: &str) -> bool {
        self.0.is_match(scope)
    }
}

impl PartialEq for ScopePattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.glob() == other.0.glob()
    }
}

impl Eq for ScopePattern {}

/// Whether reaped keys may be tried again: the first pattern that matches a key's scope says it, else the
/// default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Where no pattern matches.
    pub default: Retry,
    /// Scopes with a policy of their own.
    pub by_scope: Vec<(ScopePattern, Retry)>,
}

impl RetryPolicy {
    /// The policy of a scope.
    pub fn of(&self, scope: &str) -> Retry {
        let own = self.by_scope.iter().find(|(pattern, _)| pattern.matches(scope));
        own.map_or(self.default, |(_, retry)| *retry)
    }

    /// The strictest of them: a table must be able to do what this needs.
    pub fn strictest(&self) -> Retry {
        let mut all = std::iter::once(self.default).chain(self.by_scope.iter().map(|(_, retry)| *retry));
        all.find(|retry| !retry.is_allowed()).unwrap_or(Retry::Allow)
    }
}

/// One policy for all.
impl From<Retry> for RetryPolicy {
    fn from(default: Retry) -> Self {
        Self { default, by_scope: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pattern_that_matches_says_it() {
        let pattern = |text| ScopePattern::new(text).unwrap();
        let policy = RetryPolicy {
            default: Retry::Allow,
            by_scope: vec![
                (pattern("payments/test-*"), Retry::Allow),
                (pattern("payments/*"), Retry::Block),
                (pattern(""), Retry::Block),
            ],
        };
        assert_eq!(policy.of("payments/test-1"), Retry::Allow);
        assert_eq!(policy.of("payments/eu/berlin"), Retry::Block);
        assert_eq!(policy.of(""), Retry::Block);
        assert_eq!(policy.of("orders"), Retry::Allow);
        assert_eq!(policy.strictest(), Retry::Block);
        assert_eq!(RetryPolicy::from(Retry::Allow).strictest(), Retry::Allow);
        assert!(ScopePattern::new("[").is_err());
    }
}
