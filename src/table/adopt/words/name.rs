//! A name in its words.

/// A name, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(super) words: Vec<String>,
}

/// Lower case, without the marks above letters.
pub(super) fn plain(c: char) -> String {
    match c {
        'ä' | 'Ä' => "ae".into(),
        'ö' | 'Ö' => "oe".into(),
        'ü' | 'Ü' => "ue".into(),
        'ß' => "ss".into(),
        'é' | 'è' | 'ê' | 'ë' | 'É' => "e".into(),
        'á' | 'à' | 'â' | 'ã' => "a".into(),
        'í' | 'î' | 'ï' => "i".into(),
        'ó' | 'ô' | 'õ' => "o".into(),
        'ú' | 'û' => "u".into(),
        'ç' => "c".into(),
        'ñ' => "n".into(),
        c => c.to_lowercase().collect(),
    }
}

/// Words of which a name may be made that lost the marks between them: PostgreSQL folds an unquoted
/// `createdAt`.
pub(super) const VOCABULARY: &[&str] = &[
    "account",
    "action",
    "at",
    "attempt",
    "attempts",
    "body",
    "by",
    "claim",
    "claimed",
    "client",
    "code",
    "command",
    "completed",
    "consumer",
    "correlation",
    "count",
    "created",
    "customer",
    "date",
    "deadline",
    "dedup",
    "digest",
    "done",
    "error",
    "event",
    "expiration",
    "expires",
    "expiry",
    "failed",
    "failure",
    "fingerprint",
    "finished",
    "flight",
    "handled",
    "hash",
    "header",
    "headers",
    "heartbeat",
    "http",
    "id",
    "idempotency",
    "idempotent",
    "in",
    "inserted",
    "is",
    "key",
    "keys",
    "last",
    "lease",
    "leased",
    "lock",
    "locked",
    "log",
    "message",
    "messages",
    "method",
    "modified",
    "on",
    "operation",
    "order",
    "owner",
    "params",
    "path",
    "payload",
    "payment",
    "point",
    "processed",
    "processing",
    "progress",
    "reason",
    "received",
    "record",
    "records",
    "recovery",
    "ref",
    "reference",
    "renewed",
    "request",
    "requests",
    "resource",
    "response",
    "responses",
    "result",
    "retries",
    "retry",
    "route",
    "run",
    "scope",
    "seconds",
    "seen",
    "sent",
    "started",
    "state",
    "status",
    "step",
    "tenant",
    "time",
    "timestamp",
    "token",
    "transaction",
    "ttl",
    "type",
    "until",
    "updated",
    "url",
    "user",
    "utc",
    "uuid",
    "value",
    "webhook",
    "worker",
];

/// Usual abbreviations.
pub(super) const ABBREVIATIONS: &[(&str, &str)] = &[
    ("acct", "account"),
    ("cre", "created"),
    ("crt", "created"),
    ("crtd", "created"),
    ("cust", "customer"),
    ("exp", "expires"),
    ("expd", "expires"),
    ("idem", "idempotency"),
    ("idemp", "idempotency"),
    ("msg", "message"),
    ("res", "response"),
    ("resp", "response"),
    ("rsp", "response"),
    ("sts", "status"),
    ("txn", "transaction"),
    ("upd", "updated"),
    ("usr", "user"),
];

/// A word as the words that it is made of.
pub(super) fn unfolded(word: String) -> Vec<String> {
    fn split(rest: &str) -> Option<Vec<String>> {
        if rest.is_empty() {
            return Some(Vec::new());
        }
        // The longest first: `timestamp` is no time.
        let mut known: Vec<&str> = VOCABULARY.iter().copied().filter(|word| rest.starts_with(word)).collect();
        known.sort_by_key(|word| std::cmp::Reverse(word.len()));
        known.into_iter().find_map(|word| {
            let mut words = split(&rest[word.len()..])?;
            words.insert(0, word.to_owned());
            Some(words)
        })
    }
    if let Some((_, whole)) = ABBREVIATIONS.iter().find(|(short, _)| *short == word) {
        return vec![(*whole).to_owned()];
    }
    if word.len() < 5 || word.len() > 63 || VOCABULARY.contains(&word.as_str()) {
        return vec![word];
    }
    split(&word).unwrap_or_else(|| vec![word])
}

impl Name {
    /// Takes snake_case, camelCase and kebab-case apart.
    pub(crate) fn new(name: &str) -> Self {
        let mut words = Vec::new();
        let mut word = String::new();
        let mut lower_before = false;
        for c in name.chars() {
            if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
                words.push(std::mem::take(&mut word));
            }
            if c.is_alphanumeric() {
                word.push_str(&plain(c));
            }
            lower_before = c.is_lowercase() || c.is_numeric();
        }
        words.push(word);
        words.retain(|word| !word.is_empty());
        Self { words: words.into_iter().flat_map(unfolded).collect() }
    }

    /// One of its words is one of these.
    pub(crate) fn has(&self, known: &[&str]) -> bool {
        self.words.iter().any(|word| known.contains(&word.as_str()))
    }

    /// One of its words begins with one of these.
    pub(crate) fn begins(&self, known: &[&str]) -> bool {
        self.words.iter().any(|word| known.iter().any(|known| word.starts_with(known)))
    }

    /// Its words in a row contain one of these.
    pub(crate) fn contains(&self, known: &[&str]) -> bool {
        let joined = self.words.join("_");
        known.iter().any(|known| joined.contains(known))
    }

    /// Its only word is one of these.
    pub(crate) fn is(&self, known: &[&str]) -> bool {
        matches!(self.words.as_slice(), [word] if known.contains(&word.as_str()))
    }

    /// Its last word is one of these.
    pub(crate) fn ends(&self, known: &[&str]) -> bool {
        self.words.last().is_some_and(|word| known.contains(&word.as_str()))
    }

    /// How many of its words are none of these and begin with none of those.
    pub(crate) fn others(&self, known: &[&str], begin: &[&str]) -> usize {
        let explained = |word: &&String| {
            known.contains(&word.as_str()) || begin.iter().any(|begin| word.starts_with(begin))
        };
        self.words.iter().filter(|word| !explained(word)).count()
    }
}
