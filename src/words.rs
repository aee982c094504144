//! Numbers in sentences.

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
    fn thousands_stand_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
    }
}
