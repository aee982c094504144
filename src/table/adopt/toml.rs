//! Values as TOML, whatever a name or a value of the database contains.

use super::super::Literal;

/// A basic string. Everything but letters, digits and plain punctuation is escaped: control characters
/// are no TOML, and marks that turn the direction of text show another mapping than the one that counts.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c == ' ' || c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric()) => out.push(c),
            c if u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// A list of strings.
pub(crate) fn strings<S: AsRef<str>>(texts: &[S]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| string(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// A value of a column.
pub(crate) fn literal(value: &Literal) -> String {
    match value {
        Literal::Text(text) => string(text),
        Literal::Int(number) => number.to_string(),
        Literal::Bool(flag) => flag.to_string(),
    }
}

/// A list of them.
pub(crate) fn literals(values: &[Literal]) -> String {
    format!("[{}]", values.iter().map(literal).collect::<Vec<_>>().join(", "))
}

/// A key of a table.
pub(crate) fn key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { string(name) }
}

/// A schema or a table in `name`: in double quotes where it holds a dot, or begins with a quote.
pub(crate) fn name_part(name: &str) -> String {
    if name.contains('.') || name.starts_with('"') {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_string() {
        assert_eq!(string("a\"b\\c\nd\u{202e}\u{7f}ü"), "\"a\\\"b\\\\c\\u000ad\\u202e\\u007fü\"");
        assert_eq!(string("\u{e0001}"), "\"\\U000e0001\"");
        assert_eq!((key("status"), key("a b")), ("status".into(), "\"a b\"".into()));
        assert_eq!((name_part("a\"b"), name_part("\"a.b")), ("a\"b".into(), "\"\"\"a.b\"".into()));
    }
}
