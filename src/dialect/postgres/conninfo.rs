//! `host=db1 dbname=shop password='it''s'`: libpq's strings of parameters.

use super::parameters::Given;
use crate::dialect::url::InvalidUrl;

/// Whether text is meant as one: it begins with a name and an equals sign.
pub(in crate::dialect) fn looks_like_one(text: &str) -> bool {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = text.trim_start().trim_start_matches(is_of_a_name);
    rest.len() < text.trim_start().len() && rest.trim_start().starts_with('=')
}

pub(in crate::dialect) fn parse(text: &str) -> Result<Vec<Given>, InvalidUrl> {
    const QUOTE: &str =
        "write a value with spaces in single quotes; \\ before a quote or a backslash of the value";
    let mut given = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        // The name is not repeated: it may be a part of a password that was not quoted.
        let Some(after) = after.trim_start().strip_prefix('=') else {
            return Err(InvalidUrl::new("a word of it has no = and no value").with_hint(QUOTE));
        };
        let (value, after) = value(after.trim_start())
            .ok_or_else(|| InvalidUrl::new("a quoted value has no end").with_hint(QUOTE))?;
        given.push(Given::new(name, value));
        rest = after.trim_start();
    }
    Ok(given)
}

/// The value at the beginning of the text, and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let quoted = text.strip_prefix('\'');
    let mut value = String::new();
    let text = quoted.unwrap_or(text);
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            '\'' if quoted.is_some() => return Some((value, &text[at + 1..])),
            c if quoted.is_none() && c.is_whitespace() => return Some((value, &text[at..])),
            c => value.push(c),
        }
    }
    quoted.is_none().then_some((value, ""))
}
