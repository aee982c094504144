//! Which columns are clocks, and how each is written, as far as types, defaults and values say.

use super::explain::{Context, Explanation};
use super::facts::{CatalogueColumn, CatalogueTable};
use super::look::{self, Occurrence, Samples, Storage};
use super::roles::Role;
use super::state::StateProposal;
use super::toml;
use super::words::{self, Moment};
use crate::sql::Dialect;
use crate::table::{Family, Spelling};

/// Which columns are the time of what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moments(Vec<(Moment, String)>);

impl Moments {
    /// By types and names.
    pub(crate) fn find(table: &CatalogueTable, dialect: Dialect, samples: &Samples) -> Self {
        let moment = |column: &CatalogueColumn| {
            if column.counted || column.references.is_some() {
                return None;
            }
            let declared = column.sql_type.to_ascii_uppercase();
            let says_time =
                dialect.types_are_hints() && (declared.contains("DATE") || declared.contains("TIME"));
            let is_length = words::is_length(&column.name, column.is_short());
            let fits = match column.family {
                Family::Timestamptz | Family::Timestamp => true,
                Family::Integer | Family::Text | Family::Fraction => {
                    says_time || words::is_timed(&column.name) || look::looks_like_time(column, samples)
                }
                _ => false,
            };
            let moment = words::moment(&column.name).filter(|_| fits && (!is_length || column.is_time()))?;
            Some((moment, column.name.clone()))
        };
        Self(table.columns.iter().filter_map(moment).collect())
    }

    /// What a column is the time of.
    pub(crate) fn of(&self, column: &str) -> Option<Moment> {
        self.0.iter().find(|(_, name)| name == column).map(|(moment, _)| *moment)
    }

    /// The columns that are the time of this, those that are never NULL first.
    pub(crate) fn columns<'t>(&self, table: &'t CatalogueTable, moment: Moment) -> Vec<&'t CatalogueColumn> {
        let names = self.0.iter().filter(|(found, _)| *found == moment);
        let mut columns: Vec<&CatalogueColumn> = names.filter_map(|(_, name)| table.column(name)).collect();
        // A clock with a zone over one without, and that over a number or a text.
        let kind = |column: &CatalogueColumn| match column.family {
            Family::Timestamptz => 0,
            Family::Timestamp => 1,
            _ => 2,
        };
        columns.sort_by_key(|column| (!column.not_null, kind(column)));
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
    /// Its zone has to be asked.
    zone_open: bool,
    /// Its unit or its spelling has to be asked: what the setting is, and in which words.
    spelling_open: Option<(&'static str, String)>,
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
    /// Its zone has to be asked.
    pub(crate) zone_open: bool,
    /// Its unit or its spelling has to be asked.
    pub(crate) spelling_open: Option<(&'static str, String)>,
}

/// All that is known of the clocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClockSet {
    pub(crate) clocks: Vec<ClockProposal>,
    /// The expiry may be NULL, and whether it is in some row, or nobody could look.
    pub(crate) null_expires: Option<bool>,
    /// Why it is not sure that a row may go after its expiry.
    pub(crate) doubt: Option<(String, String)>,
}

impl ClockSet {
    /// The clock of a role that is in force, or would be if it were known how it is written.
    pub(crate) fn of(&self, role: &str) -> Option<&ClockProposal> {
        self.clocks.iter().find(|clock| clock.role == role && !clock.in_doubt)
    }
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
pub(super) fn epoch(number: i64) -> Option<&'static str> {
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
    // Z, +00:00 and whatever else says UTC; another offset does not compare in the order of time.
    let suffix = Spelling::of(text)?.suffix;
    (rest == suffix).then(|| {
        out.push_str(rest);
        Picture::Text { pattern: out, zoned: !rest.is_empty() }
    })
}

/// Whether a text is a point in time in a spelling that we can compare.
pub(super) fn is_spelled(text: &str) -> bool {
    pattern(text).is_some()
}

/// The spelling with a fraction that comes and goes.
fn with_any_fraction(picture: &Picture) -> Option<Picture> {
    let Picture::Text { pattern, zoned } = picture else { return None };
    let (whole, rest) = pattern.split_at_checked("YYYY-MM-DD HH:MM:SS".len())?;
    let suffix = rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches('s'));
    Some(Picture::Text { pattern: format!("{whole}[.s]{suffix}"), zoned: *zoned })
}

/// What a default writes.
fn of_default(column: &CatalogueColumn) -> Option<Picture> {
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

fn written(column: &CatalogueColumn, dialect: Dialect, context: &Context<'_>) -> Written {
    let known = |toml: &str, why: &str| Written {
        toml: toml.to_owned(),
        guessed: false,
        zone_unknown: false,
        why: why.to_owned(),
        zone_open: false,
        spelling_open: None,
    };
    if let Some(encoding) = context.answers.encodings.get(&column.name) {
        return known(encoding, "so you said");
    }
    let seen = &context.samples.of(&column.name);
    let zone = context.answers.zone.as_deref();
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
            if let Some(zone) = zone {
                return known(
                    &format!("{{ naive = {} }}", toml::string(zone)),
                    "it shows the time that you said",
                );
            }
            return Written { zone_unknown: true, zone_open: true, ..known(naive, "it has no zone") };
        }
        _ => {}
    }
    let default = of_default(column).filter(|_| dialect.types_are_hints() || column.family != Family::Text);
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
    if counts.len() > 1 {
        let mut loose: Vec<(Picture, u64)> = Vec::new();
        for (picture, count) in &counts {
            let Some(picture) = with_any_fraction(picture) else { continue };
            match loose.iter_mut().find(|(known, _)| *known == picture) {
                Some((_, all)) => *all += count,
                None => loose.push((picture, *count)),
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max();
        counts.extend(loose.into_iter().filter(|(_, count)| Some(*count) > most));
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
    let no_zone =
        matches!(&picture, Some(Picture::Text { zoned: false, .. })) && !words::says_utc(&column.name);
    let zone_unknown = no_zone && zone.is_none();
    let mut spelling_open = None;
    if !all {
        let doubt = if picture.is_some() { "not all rows are written alike: " } else { "" };
        let name = &column.name;
        spelling_open = Some(if column.family == Family::Text {
            ("clock.spelling", format!("{doubt}how is {name} spelled, such as {{ text = \"iso8601\" }}?"))
        } else if column.family == Family::Integer || !dialect.types_are_hints() {
            (
                "clock.unit",
                format!(
                    "{doubt}does {name} count seconds (epoch_s), milliseconds (epoch_ms) or microseconds (epoch_us)?"
                ),
            )
        } else {
            (
                "clock.spelling",
                format!(
                    "{doubt}is {name} a number of seconds, milliseconds or microseconds, or a text, and how is it spelled?"
                ),
            )
        });
    }
    let guess =
        if column.family == Family::Text { "{ text = \"YYYY-MM-DD HH:MM:SS\" }" } else { "\"epoch_ms\"" };
    let guessed = picture.is_none();
    let mut toml = picture.as_ref().map_or_else(|| guess.to_owned(), Picture::toml);
    if let (true, Some(zone), Some(Picture::Text { pattern, .. })) = (no_zone, zone, &picture) {
        toml = format!("{{ text = {}, zone = {} }}", toml::string(pattern), toml::string(zone));
    }
    Written {
        toml,
        guessed,
        zone_unknown: zone_unknown || guessed,
        why: if guessed { "nothing says how it is written".to_owned() } else { why },
        zone_open: zone_unknown,
        spelling_open,
    }
}

/// Finds how the clocks of the mapping are written. Which ones they are has been found before.
pub(crate) fn propose(
    context: &Context<'_>,
    findings: &[Explanation],
    dialect: Dialect,
    state: &StateProposal,
    is_dedicated: bool,
) -> ClockSet {
    let table = context.table;
    let mut set = ClockSet::default();
    let clock = |role: &'static str, column: &CatalogueColumn, why: &str| {
        let written = written(column, dialect, context);
        ClockProposal {
            role,
            column: column.name.clone(),
            in_doubt: false,
            active: !written.guessed,
            guessed: written.guessed,
            unsure: written.zone_unknown,
            encoding: written.toml,
            why: format!("{why}; {}", written.why),
            zone_open: written.zone_open,
            spelling_open: written.spelling_open,
        }
    };
    let of = |role: Role| {
        let mut found = findings.iter().filter(move |finding| finding.roles.contains(&role));
        found.find_map(|finding| Some((table.column(&finding.column)?, finding.reason.clone())))
    };
    if let Some((column, why)) = of(Role::Created) {
        set.clocks.push(clock("created", column, &why));
    }
    if let Some((column, why)) = of(Role::Claimed) {
        set.clocks.push(clock("claimed", column, &why));
    }
    if let Some((column, why)) = of(Role::Expires) {
        let mut expires = clock("expires", column, &why);
        let said = context.answers.roles(&column.name).is_some();
        // Its part in the state is asked first.
        let known = !state.is_known()
            || said
            || context.preset.is_some_and(|preset| preset.part(&column.name).is_some());
        let doubt = match &context.chosen.doubt {
            _ if known => None,
            Some(doubt) => Some(doubt.clone()),
            // Where the state is not known nothing is deleted, and more is known of the columns once it is.
            None if !is_dedicated && state.is_known() => {
                Some("the table seems to hold more than idempotency keys".to_owned())
            }
            None => None,
        };
        if let Some(doubt) = doubt {
            expires.active = false;
            set.doubt = Some((column.name.clone(), doubt));
        }
        // Read in the wrong zone, a row that is still needed counts as expired.
        if expires.unsure {
            expires.active = false;
        }
        let is_null = context.samples.rows.is_empty() || context.samples.nulls(&column.name) > 0;
        set.null_expires = (!column.not_null).then_some(is_null);
        set.clocks.push(expires);
    }
    if let Some((column, why)) = of(Role::Alive) {
        set.clocks.push(clock("alive", column, &why));
    } else if state.can_be_in_progress() && state.is_known() && !context.answers.clocks {
        let of = |moment| context.moments.columns(table, moment).into_iter();
        let unsaid = |column: &&CatalogueColumn| {
            context.answers.roles(&column.name).is_none()
                && !state.columns().contains(&column.name)
                && context.chosen.created.as_ref() != Some(&column.name)
                && context.preset.is_none_or(|preset| preset.part(&column.name).is_none())
        };
        if let Some(column) = of(Moment::Locked).chain(of(Moment::Updated)).find(unsaid) {
            let mut alive = clock("alive", column, "perhaps a heartbeat");
            alive.active = false;
            alive.in_doubt = true;
            set.clocks.push(alive);
        }
    }
    if let Some((column, why)) = of(Role::Lease) {
        set.clocks.push(clock("lease", column, &why));
    }
    if let Some((column, why)) = of(Role::Finished) {
        let mut finished = clock("finished", column, &why);
        finished.active &= !finished.unsure;
        if finished.active && !state.columns().contains(&column.name) {
            finished.why.push_str("; only shown");
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
