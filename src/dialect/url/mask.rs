//! Hides what may be a password in text that others wrote: errors of the driver, of the parser of arguments and
//! of the configuration.

use std::borrow::Cow;

const HIDDEN: char = '…';

/// The text without what may be a password in a URL (`://user:…@host`) or a parameter (`password=…`).
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains("://") && !text.contains('@') && find_password(text).is_none() {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| without_parameters(&without_bare_userinfo(&without_userinfo(line))))
        .collect();
    Cow::Owned(lines.join("\n"))
}

/// A URL whose scheme was forgotten: `user:…@host/database`.
fn without_bare_userinfo(line: &str) -> String {
    let words = line.split_inclusive(char::is_whitespace);
    words.map(|word| bare_userinfo(word).unwrap_or_else(|| word.to_owned())).collect()
}

fn bare_userinfo(word: &str) -> Option<String> {
    let (user, rest) = word.split_once(':')?;
    let (secret, host) = rest.rsplit_once('@')?;
    let is_url = word.contains("://") || secret.starts_with(HIDDEN);
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let user = user.trim_start_matches(|c: char| "'\"`(".contains(c));
    let host = host.split_once('/')?.0;
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    if is_url || secret.is_empty() || user.is_empty() || name.is_empty() || !is_name(user) || !is_name(name) {
        return None;
    }
    Some(word.replacen(secret, &HIDDEN.to_string(), 1))
}

/// A password that was not encoded may hold anything, spaces and quotes too: what stands before the last @ of
/// the URL is hidden.
fn without_userinfo(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at + 3);
        out.push_str(before);
        let word = url.find(|c: char| c.is_whitespace() || "'\"`".contains(c)).unwrap_or(url.len());
        let colon = url.find(':').filter(|colon| *colon < word);
        let line_end = url.find("://").unwrap_or(url.len());
        let end = url[..line_end].rfind('@').filter(|end| {
            // After a host comes the number of a port, and an @ of another word is none of its own.
            *end < word
                || colon.is_some_and(|colon| !url[colon + 1..].starts_with(|c: char| c.is_ascii_digit()))
        });
        // A user without a password: the colon is the port's.
        let colon = colon.filter(|colon| url.find('@').is_none_or(|first| *colon < first));
        match (colon, end) {
            (Some(colon), Some(end)) if colon < end => {
                out.push_str(&url[..=colon]);
                out.push(HIDDEN);
                rest = &url[end..];
            }
            _ => rest = url,
        }
    }
    out.push_str(rest);
    out
}

/// Where the value of a password begins, and where it ends.
fn find_password(text: &str) -> Option<(usize, usize)> {
    const NAMES: [&str; 3] = ["password", "passwd", "pwd"];
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    loop {
        let (at, name) =
            NAMES.iter().filter_map(|name| Some((from + lower[from..].find(name)?, *name))).min()?;
        from = at + name.len();
        let after = text[from..].trim_start();
        let Some(value) = after.strip_prefix('=') else { continue };
        let value = value.trim_start();
        let start = text.len() - value.len();
        let length = match value.strip_prefix('\'') {
            Some(quoted) => quoted_length(quoted).map_or(value.len(), |length| length + 2),
            // An & may be a part of it.
            None => unquoted_length(value),
        };
        if length > 0 && !value.starts_with(HIDDEN) {
            return Some((start, start + length));
        }
    }
}

/// Up to a blank or a quote. One that somebody escaped is a part of the value where more than its end follows; the
/// backslash of the one that ends it is not.
fn unquoted_length(value: &str) -> usize {
    let word = value.find(char::is_whitespace).unwrap_or(value.len());
    let word = &value[..word];
    let mut from = 0;
    while let Some(at) = word[from..].find(['\'', '"', '`']).map(|at| from + at) {
        if !word[..at].ends_with('\\') {
            return at;
        }
        if !word[at + 1..].contains(char::is_alphanumeric) {
            return at - 1;
        }
        from = at + 1;
    }
    word.len()
}

/// Up to the quote that ends it.
fn quoted_length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => drop(characters.next()),
            '\'' => return Some(at),
            _ => {}
        }
    }
    None
}

fn without_parameters(line: &str) -> String {
    let mut line = line.to_owned();
    while let Some((start, end)) = find_password(&line) {
        line.replace_range(start..end, "…");
    }
    line
}
