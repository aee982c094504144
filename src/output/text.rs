//! Text for people: durations, points in time, numbers, and strings that came from a database.

use std::time::Duration;

use chrono::{DateTime, Local, TimeZone as _, Utc};
use chrono_tz::Tz;

use crate::protocol::Timestamp;

/// The time zone of a report.
#[derive(Debug, Clone, Copy)]
pub enum Zone {
    /// The machine's.
    Local,
    /// A named one.
    Named(Tz),
}

impl Zone {
    /// `local`, or a name of the IANA database.
    pub fn parse(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("local") {
            return Some(Self::Local);
        }
        name.parse::<Tz>().ok().map(Self::Named)
    }

    /// A moment, to the second, with its offset.
    pub fn format(self, at: Timestamp) -> String {
        const FORMAT: &str = "%Y-%m-%d %H:%M:%S %:z";
        let Some(utc) = at.to_datetime() else { return at.to_string() };
        let utc: DateTime<Utc> = utc;
        match self {
            Self::Local => Local.from_utc_datetime(&utc.naive_utc()).format(FORMAT).to_string(),
            Self::Named(zone) => utc.with_timezone(&zone).format(FORMAT).to_string(),
        }
    }
}

/// A duration in its two largest units: `12m 5s`, `3d 4h`, `250ms`.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let pair = |large: u64, large_unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large}{large_unit}"),
        small => format!("{large}{large_unit} {small}{small_unit}"),
    };
    match seconds {
        0 if duration.is_zero() => "0s".to_owned(),
        0 => format!("{}ms", duration.as_millis().max(1)),
        1..60 => format!("{seconds}s"),
        60..3_600 => pair(seconds / 60, "m", seconds % 60, "s"),
        3_600..86_400 => pair(seconds / 3_600, "h", seconds % 3_600 / 60, "m"),
        _ => pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

/// How long ago, or in how long.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    if at.to_datetime().is_none() {
        // "never" would say the opposite of a row that has been expired since the beginning of time.
        return if at > now { "never" } else { "always" }.to_owned();
    }
    if at > now { format!("in {}", span(at.since(now))) } else { format!("{} ago", span(now.since(at))) }
}

/// A moment of these days for a line that systemd shows: the UTC time, with the date left out.
pub fn clock_time(at: Timestamp) -> String {
    at.to_datetime().map_or_else(|| at.to_string(), |at| at.format("%H:%M:%S UTC").to_string())
}

/// Characters that move a terminal's cursor, change its state, or make text read in another order
/// than it is stored in.
fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text from a database or a request as it may be shown on a terminal: everything treacherous is
/// written out as `\u{…}`, a backslash before it stays.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_treacherous(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// The same for JSON, where `\uXXXX` is an escape that every reader undoes.
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Line feeds and spaces are JSON's own layout; strings have theirs escaped already.
        if c != '\n' && is_treacherous(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units() {
        let text = |seconds| span(Duration::from_secs(seconds));
        assert_eq!(text(0), "0s");
        assert_eq!(text(59), "59s");
        assert_eq!(text(725), "12m 5s");
        assert_eq!(text(3_600), "1h");
        assert_eq!(text(90_061), "1d 1h");
        assert_eq!(span(Duration::from_micros(10)), "1ms");
    }

    #[test]
    fn nothing_that_moves_a_cursor_comes_through() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}b\u{2066}\u{0}\u{7f}\u{200b}\r\nü";
        let shown = visible(hostile);
        assert!(!shown.chars().any(is_treacherous), "{shown}");
        assert!(shown.ends_with("\\r\\nü"));
        let json = serde_json::to_string(hostile).unwrap();
        let escaped = escape_json(&json);
        assert!(!escaped.chars().any(is_treacherous), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), hostile);
    }

    #[test]
    fn ages_look_both_ways() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        assert_eq!(age(at(0), at(65)), "1m 5s ago");
        assert_eq!(age(at(65), at(0)), "in 1m 5s");
        assert_eq!(age(Timestamp::MAX, at(0)), "never");
        assert_eq!(age(Timestamp::MIN, at(0)), "always");
    }
}
