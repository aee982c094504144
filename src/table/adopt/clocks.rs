//! Which columns are clocks, and how each is written, as far as types, defaults and values say.

use super::Question;
use super::facts::{ColumnFacts, Occurrence, Samples, Storage, TableFacts};
use super::toml;
use super::words::{self, Moment};
use crate::store::Dialect;
use crate::table::Family;

/// Which columns are the time of what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moments(Vec<(Moment, String)>);

impl Moments {
    /// By types and names.
    pub(crate) fn find(table: &TableFacts, dialect: Dialect) -> Self {
        let moment = |column: &ColumnFacts| {
            if column.counted || column.references.is_some() {
                return None;
            }
            let declared = column.sql_type.to_ascii_uppercase();
            let says_time =
                dialect == Dialect::Sqlite && (declared.contains("DATE") || declared.contains("TIME"));
            let fits = match column.family {
                Family::Timestamptz | Family::Timestamp => true,
                Family::Integer | Family::Text | Family::Fraction => {
                    says_time || words::is_timed(&column.name)
                }
                _ => false,
            };
            let moment = words::moment(&column.name).filter(|_| fits && !words::is_ttl(&column.name))?;
            Some((moment, column.name.clone()))
        };
        Self(table.columns.iter().filter_map(moment).collect())
    }

    /// What a column is the time of.
    pub(crate) fn of(&self, column: &str) -> Option<Moment> {
        self.0.iter().find(|(_, name)| name == column).map(|(moment, _)| *moment)
    }

    /// The columns that are the time of this, those that are never NULL first.
    pub(crate) fn columns<'t>(&self, table: &'t TableFacts, moment: Moment) -> Vec<&'t ColumnFacts> {
        let names = self.0.iter().filter(|(found, _)| *found == moment);
        let mut columns: Vec<&ColumnFacts> = names.filter_map(|(_, name)| table.column(name)).collect();
        columns.sort_by_key(|column| !column.not_null);
        columns
    }
}

/// How a column is written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    /// As TOML; a guess where nothing says it.
    toml: String,
    /// Nothing but a guess.
    guessed: bool,
    /// The moments may be others than they look.
    zone_unknown: bool,
    why: String,
    questions: Vec<Question>,
}

/// One clock of the mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClockProposal {
    /// `created`, `expires`, `alive`, `lease`, `finished`.
    pub(crate) role: &'static str,
    pub(crate) column: String,
    /// As TOML.
    pub(crate) encoding: String,
    /// Nothing says how the column is written: the encoding is a guess.
    pub(crate) guessed: bool,
    /// Whether the column plays this role is a question itself.
    pub(crate) in_doubt: bool,
    /// In force as printed.
    pub(crate) active: bool,
    /// The zone or the unit is not known for sure.
    pub(crate) unsure: bool,
    pub(crate) why: String,
    pub(crate) questions: Vec<Question>,
}

/// All that is known of the clocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClockSet {
    pub(crate) clocks: Vec<ClockProposal>,
    /// The expiry may be NULL.
    pub(crate) null_expires: bool,
    /// A column that holds how long a row is needed.
    pub(crate) ttl_column: Option<String>,
}

/// A spelling or a unit that a value has.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Picture {
    Epoch(&'static str),
    Text { pattern: String, zoned: bool },
}

impl Picture {
    fn of(seen: &Occurrence, family: Family) -> Option<Self> {
        match seen.storage {
            Storage::Integer if family != Family::Text => epoch(seen.text.parse().ok()?).map(Self::Epoch),
            Storage::Text if family != Family::Integer => pattern(&seen.text),
            _ => None,
        }
    }

    fn toml(&self) -> String {
        match self {
            Self::Epoch(unit) => toml::string(unit),
            Self::Text { pattern, .. } => format!("{{ text = {} }}", toml::string(pattern)),
        }
    }
}

/// The unit of a number that lies between 2000 and 2100 in one unit alone.
fn epoch(number: i64) -> Option<&'static str> {
    const YEARS: std::ops::Range<i64> = 946_684_800..4_102_444_800;
    [("epoch_s", 1), ("epoch_ms", 1_000), ("epoch_us", 1_000_000)]
        .into_iter()
        .find(|(_, unit)| YEARS.contains(&number.div_euclid(*unit)))
        .map(|(name, _)| name)
}

/// The spelling of a point in time whose order as text is its order in time.
fn pattern(text: &str) -> Option<Picture> {
    let whole = text.get(..19)?;
    let mut out = String::new();
    for (c, wanted) in whole.chars().zip("YYYY-MM-DD HH:MM:SS".chars()) {
        match (wanted, c) {
            ('-' | ':', c) if c == wanted => {}
            (' ', ' ' | 'T') => {
                out.push(c);
                continue;
            }
            (wanted, c) if wanted.is_ascii_alphabetic() && c.is_ascii_digit() => {}
            _ => return None,
        }
        out.push(wanted);
    }
    let mut rest = text.get(19..)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        out.push('.');
        out.push_str(&"s".repeat(digits));
        rest = &fraction[digits..];
    }
    matches!(rest, "" | "Z" | "+00:00").then(|| {
        out.push_str(rest);
        Picture::Text { pattern: out, zoned: !rest.is_empty() }
    })
}

/// What a default writes.
fn of_default(column: &ColumnFacts) -> Option<Picture> {
    let default = column.default.as_deref()?.to_ascii_lowercase();
    let text = |pattern: &str| Some(Picture::Text { pattern: pattern.to_owned(), zoned: true });
    let counts = default.contains("'%s'") || default.contains("unixepoch") || default.contains("epoch");
    if counts && column.family != Family::Text {
        return match () {
            () if default.contains("1000000") => Some(Picture::Epoch("epoch_us")),
            () if default.contains("1000") => Some(Picture::Epoch("epoch_ms")),
            () => Some(Picture::Epoch("epoch_s")),
        };
    }
    if column.family == Family::Integer || default.contains("localtime") {
        return None;
    }
    if default.contains("%y-%m-%dt%h:%m:%fz") {
        return text("YYYY-MM-DDTHH:MM:SS.sssZ");
    }
    if default.contains("%y-%m-%dt%h:%m:%sz") {
        return text("YYYY-MM-DDTHH:MM:SSZ");
    }
    // SQLite's own: always UTC.
    let bare = default.trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace());
    (bare == "current_timestamp" || bare.replace(' ', "").starts_with("datetime('now'"))
        .then(|| Picture::Text { pattern: "YYYY-MM-DD HH:MM:SS".to_owned(), zoned: true })
}

fn written(column: &ColumnFacts, dialect: Dialect, seen: &[Occurrence]) -> Written {
    let known = |toml: &str, why: &str| Written {
        toml: toml.to_owned(),
        guessed: false,
        zone_unknown: false,
        why: why.to_owned(),
        questions: Vec::new(),
    };
    match column.family {
        Family::Timestamptz => return known("\"timestamptz\"", "it holds a moment"),
        Family::Timestamp => {
            let naive = "{ naive = \"UTC\" }";
            if words::says_utc(&column.name) {
                return known(naive, "its name says that it is UTC");
            }
            if column.default.as_deref().is_some_and(|text| text.to_ascii_lowercase().contains("'utc'")) {
                return known(naive, "its default is UTC");
            }
            return Written {
                zone_unknown: true,
                questions: vec![Question::new(
                    "clock.zone",
                    format!(
                        "{} has no zone: whose local time, or UTC, does the application write there?",
                        column.name
                    ),
                )],
                ..known(naive, "it has no zone")
            };
        }
        _ => {}
    }
    let default = of_default(column).filter(|_| dialect == Dialect::Sqlite || column.family != Family::Text);
    let mut counts: Vec<(Picture, u64)> = Vec::new();
    let mut total = 0;
    for occurrence in seen {
        total += occurrence.count;
        let Some(picture) = Picture::of(occurrence, column.family) else { continue };
        match counts.iter_mut().find(|(known, _)| *known == picture) {
            Some((_, count)) => *count += occurrence.count,
            None => counts.push((picture, occurrence.count)),
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    let same = |one: &Picture, other: &Picture| one.toml() == other.toml();
    let (picture, all, why) = match (&default, most) {
        (Some(default), None) => (Some(default.clone()), true, "so its default writes it".to_owned()),
        (Some(default), Some((seen, count))) if same(default, &seen) => (
            Some(default.clone()),
            count == total,
            format!("so its default writes it, and {count} of {total} rows looked at"),
        ),
        (None, None) => (None, false, String::new()),
        (_, Some((seen, count))) => {
            let all = default.is_none() && count == total;
            (Some(seen), all, format!("so {count} of {total} rows looked at are written"))
        }
    };
    let zone_unknown =
        matches!(&picture, Some(Picture::Text { zoned: false, .. })) && !words::says_utc(&column.name);
    let mut questions = Vec::new();
    if !all {
        let doubt =
            if picture.is_some() { "not all rows are: how does the application write it? " } else { "" };
        if column.family != Family::Text {
            questions.push(Question::new(
                "clock.unit",
                format!("{doubt}Does {} count seconds (epoch_s), milliseconds (epoch_ms) or microseconds (epoch_us)?", column.name),
            ));
        }
        if column.family != Family::Integer && dialect == Dialect::Sqlite || column.family == Family::Text {
            questions.push(Question::new(
                "clock.spelling",
                format!(
                    "{doubt}How is {} spelled where it is text, such as {{ text = \"iso8601\" }}?",
                    column.name
                ),
            ));
        }
    }
    if zone_unknown {
        questions.push(Question::new(
            "clock.zone",
            format!(
                "the text in {} names no zone: is it UTC? Else add zone = \"Europe/Berlin\" or the like",
                column.name
            ),
        ));
    }
    let guess =
        if column.family == Family::Text { "{ text = \"YYYY-MM-DD HH:MM:SS\" }" } else { "\"epoch_ms\"" };
    let guessed = picture.is_none();
    Written {
        toml: picture.as_ref().map_or_else(|| guess.to_owned(), Picture::toml),
        guessed,
        zone_unknown: zone_unknown || guessed,
        why: if guessed { "nothing says how it is written".to_owned() } else { why },
        questions,
    }
}

/// The columns whose values answer a question.
pub(crate) fn wanted(table: &TableFacts, moments: &Moments) -> Vec<String> {
    let is_open = |column: &&ColumnFacts| {
        moments.of(&column.name).is_some()
            && !matches!(column.family, Family::Timestamptz | Family::Timestamp)
    };
    table.columns.iter().filter(is_open).map(|column| column.name.clone()).collect()
}

/// What the expiry depends on besides its own column.
pub(crate) struct Surroundings {
    /// The table is there for its keys alone.
    pub(crate) dedicated: bool,
    /// Rows can be in progress.
    pub(crate) in_progress: bool,
    /// The column that says when a row is finished decides its state.
    pub(crate) finished_is_state: bool,
    /// There is a fencing token.
    pub(crate) claim_token: bool,
}

/// Finds them.
pub(crate) fn propose(
    table: &TableFacts,
    dialect: Dialect,
    moments: &Moments,
    samples: &Samples,
    around: &Surroundings,
) -> ClockSet {
    let mut set = ClockSet {
        ttl_column: table
            .columns
            .iter()
            .find(|column| words::is_ttl(&column.name) && column.family == Family::Integer)
            .map(|column| column.name.clone()),
        ..ClockSet::default()
    };
    let clock = |role: &'static str, column: &ColumnFacts, why: &str| {
        let written = written(column, dialect, samples.of(&column.name));
        ClockProposal {
            role,
            column: column.name.clone(),
            in_doubt: false,
            active: !written.guessed,
            guessed: written.guessed,
            unsure: written.zone_unknown,
            encoding: written.toml,
            why: format!("{why}; {}", written.why),
            questions: written.questions,
        }
    };
    if let Some(column) = moments.columns(table, Moment::Created).first() {
        set.clocks.push(clock("created", column, "when the row was made, by its name"));
    }
    let mut expiries = moments.columns(table, Moment::Expires);
    expiries.sort_by_key(|column| words::is_of_something_else(&column.name));
    if let Some(column) = expiries.first() {
        let mut expires = clock("expires", column, "until when the row is needed, by its name");
        let several = expiries.iter().filter(|other| !words::is_of_something_else(&other.name)).count() > 1;
        if words::is_of_something_else(&column.name) || several || !around.dedicated {
            expires.active = false;
            expires.questions.insert(
                0,
                Question::new(
                    "clock.expires",
                    format!(
                        "may a row be deleted once {} has passed? {}",
                        column.name,
                        if around.dedicated {
                            "Its name, or another column's, leaves a doubt"
                        } else {
                            "The table seems to hold more than idempotency keys"
                        }
                    ),
                ),
            );
        }
        // Read in the wrong zone, a row that is still needed counts as expired.
        if expires.unsure {
            expires.active = false;
        }
        set.null_expires = !column.not_null;
        set.clocks.push(expires);
    }
    let alive = moments.columns(table, Moment::Alive);
    let locked = moments.columns(table, Moment::Locked);
    let updated = moments.columns(table, Moment::Updated);
    let ask_alive = |column: &ColumnFacts| {
        Question::new(
            "clock.alive",
            format!(
                "is {} a sign of life, which the application renews while it works on a row?",
                column.name
            ),
        )
    };
    if let Some(column) = alive.first() {
        let mut alive = clock("alive", column, "a sign of life, by its name");
        if !column.not_null {
            alive.questions.push(ask_alive(column));
        }
        set.clocks.push(alive);
    } else if let Some(column) = locked.first().filter(|column| column.not_null) {
        let mut alive = clock("alive", column, "when the row was locked last, and never NULL");
        alive.questions.push(ask_alive(column));
        set.clocks.push(alive);
    } else if let Some(column) = locked.first().or(updated.first()).filter(|_| around.in_progress) {
        let mut alive = clock("alive", column, "perhaps a sign of life");
        alive.active = false;
        alive.in_doubt = true;
        alive.questions.push(ask_alive(column));
        set.clocks.push(alive);
    }
    if let Some(column) = moments.columns(table, Moment::Lease).first() {
        set.clocks.push(clock("lease", column, "until when the row is held, by its name"));
    } else if around.in_progress && around.claim_token {
        let expires = set.clocks.iter().find(|clock| clock.role == "expires").cloned();
        if let Some(expires) = expires {
            set.clocks.push(ClockProposal {
                role: "lease",
                in_doubt: true,
                active: false,
                why: "rows have a token that fences their claims, and no other end of a claim".into(),
                questions: vec![Question::new(
                    "clock.lease",
                    format!(
                        "while a row is in progress, is {} the end of its worker's lease?",
                        expires.column
                    ),
                )],
                ..expires
            });
        }
    }
    if let Some(column) =
        moments.columns(table, Moment::Finished).first().filter(|_| !around.finished_is_state)
    {
        let mut finished = clock("finished", column, "when the work was done, by its name; only shown");
        // Nothing depends on it that would be worth a question.
        finished.questions.clear();
        finished.active &= !finished.unsure;
        if finished.active {
            set.clocks.push(finished);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitude_tells_the_unit() {
        assert_eq!(epoch(1_700_000_000), Some("epoch_s"));
        assert_eq!(epoch(1_700_000_000_000), Some("epoch_ms"));
        assert_eq!(epoch(1_700_000_000_000_000), Some("epoch_us"));
        assert_eq!(epoch(0), None);
        assert_eq!(epoch(-1), None);
        assert_eq!(epoch(i64::MAX), None);
    }

    #[test]
    fn a_text_shows_its_spelling() {
        let of = |text: &str| match pattern(text) {
            Some(Picture::Text { pattern, .. }) => pattern,
            _ => String::new(),
        };
        assert_eq!(of("2024-02-29 13:14:15"), "YYYY-MM-DD HH:MM:SS");
        assert_eq!(of("2024-02-29T13:14:15.250+00:00"), "YYYY-MM-DDTHH:MM:SS.sss+00:00");
        for text in [
            "",
            "2024-02-29",
            "2024-02-29 13:14:15+09:00",
            "2024-02-29 13:14:15.",
            "31.12.2024 10:00:00",
            "ä024-02-29 13:14:15",
        ] {
            assert_eq!(of(text), "", "{text}");
        }
    }
}
