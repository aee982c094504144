//! Numbers and durations in sentences.

use std::time::Duration;

/// A number with its thousands apart.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and what it is of: "1 row", "12,000 rows".
pub(crate) fn number_of(number: u64, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if number == 1 => noun.to_owned(),
        Some(stem) if !noun.ends_with("ey") => format!("{stem}ies"),
        _ if noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", count(number))
}

/// "is" of one, "are" of several.
pub(crate) fn are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// A duration in whole, in days at most: what was written as `90d` comes back as that.
pub(crate) fn duration(duration: Duration) -> String {
    let (seconds, nanos) = (duration.as_secs(), u64::from(duration.subsec_nanos()));
    let parts = [
        (seconds / 86_400, "d"),
        (seconds % 86_400 / 3_600, "h"),
        (seconds % 3_600 / 60, "m"),
        (seconds % 60, "s"),
        (nanos / 1_000_000, "ms"),
        (nanos / 1_000 % 1_000, "us"),
        (nanos % 1_000, "ns"),
    ];
    let said: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if said.is_empty() { "0s".to_owned() } else { said.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_plural() {
        for (number, noun, words) in [
            (1, "expired row", "1 expired row"),
            (0, "row", "0 rows"),
            (12_000, "key", "12,000 keys"),
            (2, "batch", "2 batches"),
            (3, "entry", "3 entries"),
        ] {
            assert_eq!(number_of(number, noun), words);
        }
    }

    #[test]
    fn a_duration_comes_back_as_it_was_written() {
        for text in ["0s", "90d", "1h 30m", "5m", "2ms", "1d 1s", "400d 23h 59m 59s 999ms 1us 7ns"] {
            let parsed = humantime::parse_duration(text).unwrap();
            assert_eq!(duration(parsed), text);
        }
    }

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
    }
}
