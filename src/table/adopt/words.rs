//! What names mean: general words of the field, in some languages. No name of a table that somebody has.

use crate::protocol::Status;

/// A name, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    words: Vec<String>,
}

/// Lower case, without the marks above letters.
fn plain(c: char) -> String {
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
const VOCABULARY: &[&str] = &[
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
const ABBREVIATIONS: &[(&str, &str)] = &[
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
fn unfolded(word: String) -> Vec<String> {
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

const KEY: &[&str] = &[
    "key",
    "keys",
    "schluessel",
    "clave",
    "cle",
    "clef",
    "chave",
    "chiave",
    "sleutel",
    "klucz",
    "nyckel",
    "noegle",
    "avain",
];
const ID: &[&str] = &["id", "uuid", "guid", "key", "token", "ref", "reference", "number", "nr"];
const NOT_A_KEY: &[&str] = &[
    "status",
    "state",
    "at",
    "on",
    "type",
    "count",
    "method",
    "path",
    "body",
    "params",
    "headers",
    "header",
    "response",
    "result",
    "ttl",
    "encryption",
    "public",
    "private",
    "secret",
    "foreign",
    "hits",
];

/// How surely a column's name says that it is an idempotency key; 0 is not at all.
pub(crate) fn key_score(column: &str) -> u32 {
    let name = Name::new(column);
    if name.has(NOT_A_KEY) || name.begins(&["expir", "created", "updated"]) {
        return 0;
    }
    if name.contains(&["idempot", "einmalschluessel"]) {
        return 100;
    }
    if name.begins(&["dedup", "nonce", "unikey"]) {
        return 80;
    }
    let hashed = name.has(&["hash", "digest", "sha256", "fingerprint", "checksum"]);
    if name.has(KEY) && !name.has(&["request", "api", "cache"]) {
        return 70;
    }
    if hashed {
        return 0;
    }
    if name.has(&["request", "anfrage", "requete", "solicitud", "req"]) && name.has(ID) {
        return if name.has(KEY) { 78 } else { 75 };
    }
    if name.begins(&["message", "event", "command", "operation", "correlation", "delivery", "webhook"])
        && name.has(ID)
    {
        return 60;
    }
    if name.has(&["token"]) {
        return 40;
    }
    if name.is(&["id", "uuid", "guid"]) { 10 } else { 0 }
}

/// Whether a table's name says without doubt that it is there for idempotency keys.
pub(crate) fn says_idempotent(table: &str) -> bool {
    Name::new(table).contains(&["idempot"])
}

/// Whether a table's name says that messages or events are kept there.
pub(crate) fn speaks_of_messages(table: &str) -> bool {
    Name::new(table).has(&[
        "message",
        "messages",
        "event",
        "events",
        "webhook",
        "webhooks",
        "inbox",
        "outbox",
        "deliveries",
        "envelopes",
    ])
}

/// Words of a table's name that say what it is for.
pub(crate) fn table_score(table: &str) -> (i32, Option<&'static str>) {
    let name = Name::new(table);
    if name.contains(&["idempot"]) {
        return (50, Some("its name says that it is one"));
    }
    if name.begins(&["dedup", "nonce", "replay"])
        || name.has(&[
            "seen",
            "processed",
            "handled",
            "consumed",
            "received",
            "inbox",
            "outbox",
            "once",
            "used",
        ])
    {
        return (20, Some("its name speaks of what was seen or done before"));
    }
    if speaks_of_messages(table) {
        return (15, Some("its name speaks of messages"));
    }
    if name.begins(&["request", "reservation"]) || name.contains(&["stored_response"]) {
        return (10, Some("its name speaks of requests"));
    }
    if name.begins(&[
        "session", "user", "auth", "api", "oauth", "password", "invit", "coupon", "cache", "migrat",
    ]) || name.has(&["setting", "settings", "feature", "translation", "translations", "config"])
    {
        return (-25, None);
    }
    (0, None)
}

/// What a column of a point in time is the time of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Lease,
    Expires,
    Alive,
    Locked,
    Finished,
    Updated,
    Created,
    /// When it came in, began or was seen: its creation, where it is never NULL.
    Came,
}

/// Whether a name that is not of a time's own type speaks of a point in time.
pub(crate) fn is_timed(column: &str) -> bool {
    let name = Name::new(column);
    if name.has(&["by", "von", "par", "por", "count", "reason", "user", "id", "token", "ttl"]) {
        return false;
    }
    const TIMED: &[&str] = &[
        "seen",
        "expire",
        "lease",
        "at",
        "on",
        "am",
        "le",
        "em",
        "el",
        "il",
        "time",
        "date",
        "datum",
        "zeit",
        "ms",
        "millis",
        "ts",
        "epoch",
        "until",
        "till",
        "bis",
        "utc",
        "deadline",
        "expires",
        "expiry",
        "expiration",
        "timestamp",
        "created",
        "createdat",
        "expiresat",
        "updatedat",
        "lockedat",
        "completedat",
    ];
    name.has(TIMED)
}

const EXPIRY: &[&str] = &[
    "expir",
    "expire",
    "ablauf",
    "ablaeuf",
    "verfall",
    "verfaellt",
    "caduc",
    "scad",
    "venc",
    "vence",
    "verloop",
    "vervalt",
    "wygas",
    "deadline",
];
const UNTIL: &[&str] = &[
    "laeuft_ab",
    "gueltig_bis",
    "valid_until",
    "valid_to",
    "valid_till",
    "retain_until",
    "keep_until",
    "delete_after",
    "purge_after",
    "purge_at",
    "delete_at",
    "valido_hasta",
    "valide_jusqu",
];

/// What it is the time of.
pub(crate) fn moment(column: &str) -> Option<Moment> {
    let name = Name::new(column);
    if name.has(&["by", "von", "par"]) {
        return None;
    }
    let ends = name.begins(EXPIRY) || name.contains(UNTIL) || name.has(&["until", "till", "timeout"]);
    let held = name.begins(&["lock", "lease", "claim", "reserv", "gesperrt", "sperr"]);
    let at_work = held
        || name.begins(&["process", "running", "busy", "owned", "hold", "held", "bearbeit"])
        || name.has(&["work", "run", "flight", "progress"]);
    let renewed = name.begins(&["renew", "refresh", "extend", "prolong", "heartbeat", "beat"]);
    // "lease" alone is its end; "leased_at" and "lease_started_at" are its beginning, "lease_renewed_at" is neither.
    let is_end = name.words.iter().all(|word| {
        let of_time = ["at", "to", "end", "ends", "utc", "ms", "millis", "ts", "epoch", "timestamp"];
        word == "lease" || of_time.contains(&word.as_str())
    });
    if name.begins(&["visib"]) || (at_work && ends && !renewed) || (name.begins(&["lease"]) && is_end) {
        return Some(Moment::Lease);
    }
    if held && renewed {
        return Some(Moment::Alive);
    }
    if ends {
        return Some(Moment::Expires);
    }
    if name.begins(&["heartbeat", "alive", "renew", "keepalive", "lebenszeichen"])
        || name.contains(&["last_run"])
    {
        return Some(Moment::Alive);
    }
    if held || name.begins(&["acquir"]) {
        return Some(Moment::Locked);
    }
    // What is to be, or is not, was not.
    if name.has(&[
        "being",
        "next",
        "not",
        "expected",
        "estimated",
        "planned",
        "scheduled",
        "eta",
        "due",
        "should",
        "before",
    ]) {
        return None;
    }
    if name.begins(&[
        "complet",
        "finish",
        "done",
        "processed",
        "succeed",
        "settled",
        "resolved",
        "answered",
        "responded",
        "beendet",
        "abgeschlossen",
        "erledigt",
        "fertig",
        "termin",
        "acheve",
        "conclu",
        "finaliz",
        "voltooid",
    ]) {
        return Some(Moment::Finished);
    }
    if name.begins(&["ping", "touch"])
        || name.contains(&["last_seen", "last_active", "last_attempt", "last_tried"])
        || name.begins(&[
            "updat",
            "modif",
            "chang",
            "geaendert",
            "aktualisiert",
            "actualiz",
            "atualiz",
            "aggiorn",
            "mtime",
            "bijgewerkt",
        ])
    {
        return Some(Moment::Updated);
    }
    if name.begins(&[
        "creat",
        "insert",
        "added",
        "addtime",
        "erstellt",
        "angelegt",
        "erzeugt",
        "eingefuegt",
        "cree",
        "cread",
        "criad",
        "utworz",
        "aangemaakt",
        "ctime",
    ]) || name.is(&["ts", "time", "date", "datum", "zeit", "timestamp"])
        || name.contains(&["add_time", "recorded_at", "logged_at", "stored_at"])
    {
        return Some(Moment::Created);
    }
    name.has(&[
        "issued",
        "requested",
        "received",
        "recorded",
        "stored",
        "logged",
        "first",
        "used",
        "seen",
        "made",
        "start",
        "started",
        "handled",
        "consumed",
        "entered",
        "arrived",
        "timestamp",
        "occurred",
        "published",
        "delivered",
    ])
    .then_some(Moment::Came)
}

/// Whether an expiry's name says more than that the row expires: a card's, a session's.
pub(crate) fn is_of_something_else(column: &str) -> bool {
    const PLAIN: &[&str] = &[
        "at",
        "on",
        "am",
        "le",
        "em",
        "el",
        "il",
        "time",
        "date",
        "datum",
        "zeit",
        "ms",
        "millis",
        "ts",
        "epoch",
        "utc",
        "key",
        "row",
        "record",
        "entry",
        "laeuft",
        "ab",
        "gueltig",
        "bis",
        "valid",
        "until",
        "to",
        "till",
        "retain",
        "keep",
        "delete",
        "purge",
        "after",
        "s",
        "seconds",
        "us",
        "micros",
        "unix",
        "timestamp",
        "valido",
        "hasta",
        "valide",
    ];
    const BEGIN: &[&str] = &[
        "expir",
        "ablauf",
        "ablaeuf",
        "verfall",
        "verfaellt",
        "caduc",
        "scad",
        "venc",
        "verloop",
        "vervalt",
        "wygas",
        "idempot",
        "jusqu",
    ];
    Name::new(column).others(PLAIN, BEGIN) > 0
}

/// Whether the name says that its times are UTC.
pub(crate) fn says_utc(column: &str) -> bool {
    Name::new(column).has(&["utc", "gmt"])
}

/// Whether the name says a length of time, such as a ttl or a timeout: that is never a point in time.
/// `is_short` is a number too small for milliseconds since 1970.
pub(crate) fn is_length(column: &str, is_short: bool) -> bool {
    let name = Name::new(column);
    if name.has(&["ttl", "lifetime", "retention", "duration", "timeout", "interval", "elapsed", "latency"])
        || name.contains(&["max_age", "expires_in", "expires_after", "keep_for", "valid_for"])
    {
        return !name.has(&["at", "until"]);
    }
    let unit = name.ends(&["seconds", "secs", "sec", "minutes", "mins", "hours", "days", "weeks", "months"])
        || (is_short && name.ends(&["ms", "millis", "us", "micros"]));
    unit && !name.has(&["at", "on", "until", "till", "epoch", "unix", "ts", "time"])
}

/// Whose request it is, or what it was made to.
pub(crate) fn is_scope(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(&[
        "user",
        "tenant",
        "account",
        "customer",
        "client",
        "merchant",
        "org",
        "company",
        "workspace",
        "mandant",
        "kunde",
        "nutzer",
        "benutzer",
        "partner",
        "principal",
        "namespace",
        "realm",
        "usuario",
        "cliente",
        "inquilino",
        "utilisateur",
    ]) || name.has(&[
        "scope",
        "endpoint",
        "route",
        "method",
        "operation",
        "action",
        "procedure",
        "subject",
        "actor",
        "service",
        "app",
        "application",
        "consumer",
        "handler",
        "queue",
        "topic",
    ]) || (name.has(&["path", "url", "uri"]) && (name.is(&["path", "url", "uri"]) || name.begins(&["req"])))
}

/// Which part of an answer a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerPart {
    Status,
    Headers,
    Body,
}

const REQUEST: &[&str] = &[
    "request",
    "req",
    "input",
    "params",
    "parameters",
    "anfrage",
    "fingerprint",
    "hash",
    "digest",
    "checksum",
    "signature",
    "args",
    "arguments",
    "definition",
    "serialized",
];
const ANSWER: &[&str] = &[
    "response",
    "resp",
    "answer",
    "reply",
    "antwort",
    "reponse",
    "respuesta",
    "risposta",
    "resposta",
    "result",
    "ergebnis",
    "resultat",
    "resultado",
    "output",
    "outcome",
];

/// Which part of an answer it is; a number where `is_number`.
pub(crate) fn answer(column: &str, is_number: bool) -> Option<AnswerPart> {
    let name = Name::new(column);
    if name.has(&["hash", "digest", "checksum", "type", "length", "size", "id", "ref", "token", "at"]) {
        return None;
    }
    let of_answer = name.begins(ANSWER);
    let of_request = name.has(REQUEST) && !of_answer;
    if is_number {
        let is_code = name.has(&["code", "status", "statuscode"]);
        let says_so = of_answer || name.contains(&["status_code", "statuscode", "http"]);
        return (is_code && says_so && !of_request).then_some(AnswerPart::Status);
    }
    if of_request || name.has(&["code", "status"]) {
        return None;
    }
    if name.has(&["headers", "header"]) {
        return of_answer.then_some(AnswerPart::Headers);
    }
    (of_answer || name.is(&["body", "payload", "snapshot", "content"])).then_some(AnswerPart::Body)
}

/// The document of an answer, and not a word for how the work ended.
pub(crate) fn is_body(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&["response", "responses", "answer", "reply"])
        || name.begins(&["antwort", "respuesta", "reponse", "risposta", "resposta"])
}

/// What the request was: never a sign of its outcome.
pub(crate) fn is_of_request(column: &str) -> bool {
    let name = Name::new(column);
    name.has(REQUEST) && !name.begins(ANSWER) || is_scope(column)
}

/// The fingerprint of the request.
pub(crate) fn is_request_hash(column: &str) -> bool {
    let name = Name::new(column);
    if name.begins(ANSWER) || name.has(KEY) {
        return false;
    }
    name.begins(&["fingerprint"])
        || (name.has(&["hash", "digest", "checksum", "sha256"])
            && name.has(&["request", "req", "payload", "body", "params", "input", "anfrage"]))
}

/// Who works on it.
pub(crate) fn is_owner(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&["owner", "worker", "holder", "bearbeiter"])
        || (name.has(&["by", "von", "par"]) && name.begins(&["lock", "claim", "reserv", "lease", "gesperrt"]))
}

/// A token that fences the claim.
pub(crate) fn is_claim_token(column: &str) -> bool {
    let name = Name::new(column);
    name.is(&["token"])
        || (name.has(&["token"]) && name.begins(&["claim", "lock", "lease", "reserv", "fenc", "owner"]))
}

/// Why it failed.
pub(crate) fn is_failure(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(&["fail", "error", "fehler", "exception", "erreur"]) && !name.has(&["count", "at"])
}

/// How many tries there were.
pub(crate) fn is_attempt(column: &str) -> bool {
    Name::new(column).has(&["attempt", "attempts", "tries", "retries", "versuch", "versuche"])
}

/// The name of a state's column.
pub(crate) fn is_state(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&[
        "status", "state", "zustand", "etat", "statut", "estado", "stato", "stan", "stav", "tila", "tilstand",
    ]) && !name.has(&["code", "http", "at", "reason", "message", "text"])
        && !name.begins(ANSWER)
}

/// A state that its name calls status, as an answer's is.
pub(crate) fn is_status(column: &str) -> bool {
    Name::new(column).has(&["status", "statut"])
}

/// A state's name with no word that makes it something else's.
pub(crate) fn is_plain_state(column: &str) -> bool {
    const PLAIN: &[&str] = &[
        "status",
        "state",
        "zustand",
        "etat",
        "statut",
        "estado",
        "stato",
        "stan",
        "stav",
        "tila",
        "tilstand",
        "idempotency",
        "key",
        "request",
        "processing",
        "process",
        "job",
        "work",
        "record",
        "row",
        "message",
        "event",
        "operation",
        "current",
        "execution",
        "lifecycle",
        "name",
        "command",
        "id",
    ];
    is_state(column) && Name::new(column).others(PLAIN, &[]) == 0
}

/// A state's name whose last word is another one: "status_page" is a page.
pub(crate) fn is_state_of_something(column: &str) -> bool {
    is_state(column)
        && !is_plain_state(column)
        && Name::new(column).begins(&["status", "state"])
        && !Name::new(column).ends(&["status", "state"])
}

/// The name of a column that says how far the work came.
pub(crate) fn is_step(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(&["recover", "checkpoint"])
        || name.has(&["step", "stage", "phase", "schritt", "etape", "paso"])
}

/// What true means in a flag, where its whole name leaves no doubt: `being_processed` and `not_done` say the
/// contrary of their last words.
pub(crate) fn flag(column: &str) -> Option<Status> {
    let mut words = Name::new(column).words;
    if words.len() > 1 && matches!(words[0].as_str(), "is" | "was" | "has" | "ist" | "wurde") {
        words.remove(0);
    }
    match words.join("_").as_str() {
        "complete" | "completed" | "done" | "finish" | "finished" | "filled" | "processed" | "succeeded"
        | "success" | "settled" | "fertig" | "erledigt" | "abgeschlossen" => Some(Status::Completed),
        "pending" | "processing" | "running" | "in_progress" | "in_flight" | "in_bearbeitung" | "locked"
        | "gesperrt" => Some(Status::InProgress),
        _ => None,
    }
}

/// What a state's value means, where its name leaves no doubt.
pub(crate) fn state_value(value: &str) -> Option<Status> {
    let name = Name::new(value);
    let joined = name.words.concat();
    const IN_PROGRESS: &[&str] = &[
        "pending",
        "processing",
        "inprogress",
        "inprocess",
        "started",
        "running",
        "locked",
        "inflight",
        "working",
        "executing",
        "claimed",
        "acquired",
        "reserved",
        "inbearbeitung",
        "laufend",
        "laeuft",
        "gestartet",
        "encours",
        "encurso",
        "enproceso",
        "procesando",
        "pendiente",
        "incorso",
        "emandamento",
        "pendente",
        "processando",
        "wtoku",
        "bezig",
        "inbehandeling",
        "paagaende",
    ];
    const COMPLETED: &[&str] = &[
        "completed",
        "complete",
        "done",
        "finished",
        "succeeded",
        "success",
        "successful",
        "processed",
        "abgeschlossen",
        "erledigt",
        "fertig",
        "completado",
        "completada",
        "terminado",
        "terminada",
        "termine",
        "terminee",
        "completato",
        "completata",
        "concluido",
        "concluida",
        "voltooid",
        "zakonczone",
    ];
    const FAILED: &[&str] = &[
        "failed",
        "failure",
        "error",
        "errored",
        "fehlgeschlagen",
        "gescheitert",
        "fehler",
        "echoue",
        "echec",
        "fallido",
        "fallida",
        "fallito",
        "fallita",
        "falhou",
        "falhado",
        "mislukt",
    ];
    for (known, status) in
        [(IN_PROGRESS, Status::InProgress), (COMPLETED, Status::Completed), (FAILED, Status::Failed)]
    {
        if known.contains(&joined.as_str()) {
            return Some(status);
        }
    }
    None
}

/// Whether a column of this name belongs to a table of idempotency keys.
pub(crate) fn is_of_keys(column: &str) -> bool {
    key_score(column) > 0
        || answer(column, false).is_some()
        || answer(column, true).is_some()
        || is_state(column)
        || is_step(column)
        || is_of_request(column)
        || is_owner(column)
        || is_claim_token(column)
        || is_failure(column)
        || is_attempt(column)
        || is_length(column, false)
        || is_reference(column)
        || flag(column).is_some()
        || moment(column).is_some()
}

/// Whether two names differ in nothing but the unit or the type that a moment is written in.
pub(crate) fn same_but_unit(one: &str, other: &str) -> bool {
    const UNITS: &[&str] = &[
        "ms", "millis", "s", "sec", "seconds", "us", "micros", "epoch", "unix", "utc", "ts", "at", "on", "tz",
    ];
    let words = |name: &str| {
        let mut words = Name::new(name).words;
        words.retain(|word| !UNITS.contains(&word.as_str()));
        words
    };
    words(one) == words(other)
}

/// Whether the name is of something's number.
pub(crate) fn ends_in_id(column: &str) -> bool {
    Name::new(column).ends(&["id", "uuid", "number", "nr", "no"])
}

/// What goes with an answer, such as its type.
pub(crate) fn is_of_answer(column: &str) -> bool {
    let name = Name::new(column);
    name.begins(ANSWER) && !name.has(&["state", "at", "status", "code"])
}

/// A reference to something.
pub(crate) fn is_reference(column: &str) -> bool {
    let name = Name::new(column);
    name.ends(&["id", "uuid", "ref", "reference", "url"]) && !is_scope(column) && !name.is(&["id", "uuid"])
}

/// A reference that its name says to be to what the request made.
pub(crate) fn is_result_reference(column: &str) -> bool {
    is_reference(column)
        && Name::new(column)
            .has(&["resource", "result", "response", "created", "outcome", "entity", "target", "made"])
}

/// What a request is traced by: no state of its work.
pub(crate) fn is_trace(column: &str) -> bool {
    Name::new(column).has(&["trace", "traceparent", "span", "correlation", "causation", "conversation"])
}

/// Words of holding, working and going on: a column with one of them may say that the work is unfinished,
/// whatever else its name says.
pub(crate) fn is_of_work(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&[
        "by", "state", "status", "step", "stage", "phase", "version", "attempt", "attempts", "retry",
        "retries", "run", "runner", "node", "host", "machine", "instance", "session", "process", "pid",
        "thread", "executor", "agent", "progress", "level", "flag",
    ]) || name.begins(&[
        "lock",
        "lease",
        "claim",
        "hold",
        "owner",
        "worker",
        "reserv",
        "acquir",
        "heartbeat",
        "pending",
        "process",
        "running",
        "busy",
        "work",
    ])
}

/// What somebody is called, or what something is like: said once, when the row is made.
pub(crate) fn is_description(column: &str) -> bool {
    let name = Name::new(column);
    name.is(&[
        "name",
        "description",
        "title",
        "comment",
        "note",
        "notes",
        "email",
        "phone",
        "currency",
        "locale",
    ]) || name.has(&["description", "agent", "email"]) && !name.has(&["state", "status"])
        || name.contains(&[
            "user_agent",
            "ip_address",
            "remote_addr",
            "client_ip",
            "message_type",
            "event_type",
            "request_type",
            "resource_type",
            "entity_type",
            "target_type",
            "object_type",
            "aggregate_type",
            "content_type",
            "command_type",
            "event_name",
            "display_name",
            "full_name",
        ])
        || name.is(&["ip", "url", "uri", "topic", "subject"])
}

/// How much or how large.
pub(crate) fn is_amount(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&["amount", "price", "total", "quantity", "size", "bytes", "length", "cost", "fee", "betrag"])
}

/// The words of a request's or a message's documents.
pub(crate) fn is_document(column: &str) -> bool {
    let name = Name::new(column);
    name.has(&[
        "metadata",
        "headers",
        "header",
        "tags",
        "labels",
        "attributes",
        "args",
        "arguments",
        "params",
        "parameters",
        "serialized",
        "definition",
        "input",
    ]) && !name.has(&["state", "status"])
}

#[cfg(test)]
mod tests;
