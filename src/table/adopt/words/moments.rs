//! What names say of points in time and lengths of time.

use super::name::Name;

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

pub(super) const EXPIRY: &[&str] = &[
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

pub(super) const UNTIL: &[&str] = &[
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
