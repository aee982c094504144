//! JSON in its canonical form, RFC 8785, with one addition: a number that a double can't hold
//! exactly stays as it was written. Two different amounts must never get one fingerprint.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::value::RawValue;

/// Deep enough for every real request; recursion stays far from the stack's end.
const MAX_DEPTH: usize = 100;

/// A document that has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidJson {
    /// Not JSON, or a member named twice.
    #[error("not a JSON document with a canonical form: {0}")]
    Syntax(String),
    /// Nested too deep.
    #[error("JSON nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

impl From<serde_json::Error> for InvalidJson {
    fn from(error: serde_json::Error) -> Self {
        Self::Syntax(error.to_string())
    }
}

/// The canonical form of a JSON document. Its cost grows with the document's size and not with its depth.
pub(crate) fn canonicalize(document: &[u8]) -> Result<String, InvalidJson> {
    let raw: &RawValue = serde_json::from_slice(document)?;
    let tree = Reader { text: raw.get(), at: 0 }.value(0)?;
    let mut out = String::with_capacity(document.len());
    write_value(&tree, &mut out)?;
    Ok(out)
}

/// A document taken apart as far as its members must be sorted. Scalars stay as they are written.
enum Node<'d> {
    Scalar(&'d str),
    Array(Vec<Node<'d>>),
    Object(BTreeMap<Name, Node<'d>>),
}

/// Walks once over a text that is known to be JSON.
struct Reader<'d> {
    text: &'d str,
    at: usize,
}

impl<'d> Reader<'d> {
    fn value(&mut self, depth: usize) -> Result<Node<'d>, InvalidJson> {
        if depth > MAX_DEPTH {
            return Err(InvalidJson::TooDeep);
        }
        match self.next()? {
            b'{' => {
                self.at += 1;
                let mut members = BTreeMap::new();
                while self.next()? != b'}' {
                    let name: String = serde_json::from_str(self.string()?)?;
                    self.next()?; // the colon
                    self.at += 1;
                    let value = self.value(depth + 1)?;
                    // Receivers disagree on which of two counts.
                    match members.entry(Name::new(name)) {
                        Entry::Vacant(free) => drop(free.insert(value)),
                        Entry::Occupied(taken) => {
                            let name = &taken.key().text;
                            return Err(InvalidJson::Syntax(format!("member {name:?} twice")));
                        }
                    }
                    self.skip_comma()?;
                }
                self.at += 1;
                Ok(Node::Object(members))
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while self.next()? != b']' {
                    items.push(self.value(depth + 1)?);
                    self.skip_comma()?;
                }
                self.at += 1;
                Ok(Node::Array(items))
            }
            b'"' => Ok(Node::Scalar(self.string()?)),
            _ => {
                let rest = &self.text[self.at..];
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
                let length = rest.as_bytes().iter().position(ends).unwrap_or(rest.len());
                self.at += length;
                Ok(Node::Scalar(&rest[..length]))
            }
        }
    }

    /// The byte that comes after white space; it is not taken.
    fn next(&mut self) -> Result<u8, InvalidJson> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().take_while(|byte| blank(byte)).count();
        let byte = self.text.as_bytes().get(self.at).copied();
        byte.ok_or_else(|| InvalidJson::Syntax("it ends too early".into()))
    }

    fn skip_comma(&mut self) -> Result<(), InvalidJson> {
        if self.next()? == b',' {
            self.at += 1;
        }
        Ok(())
    }

    /// A string with its quotes, as it is written.
    fn string(&mut self) -> Result<&'d str, InvalidJson> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(InvalidJson::Syntax("a string has no end".into())),
            }
        }
        self.at += 1;
        Ok(&self.text[start..self.at])
    }
}

fn write_value(node: &Node, out: &mut String) -> Result<(), InvalidJson> {
    match node {
        Node::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(&name.text, out)?;
                out.push(':');
                write_value(value, out)?;
            }
            out.push('}');
        }
        Node::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, out)?;
            }
            out.push(']');
        }
        Node::Scalar(text) => match text.as_bytes().first() {
            Some(b'"') => write_string(&serde_json::from_str::<String>(text)?, out)?,
            Some(b'-' | b'0'..=b'9') => write_number(text, out),
            // true, false and null have one spelling.
            _ => out.push_str(text),
        },
    }
    Ok(())
}

/// serde_json escapes exactly what RFC 8785 wants escaped, in the spelling it wants.
fn write_string(text: &str, out: &mut String) -> Result<(), InvalidJson> {
    out.push_str(&serde_json::to_string(text)?);
    Ok(())
}

fn write_number(text: &str, out: &mut String) {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            let mut buffer = ryu_js::Buffer::new();
            let shortest = buffer.format_finite(number);
            if Decimal::parse(shortest) == Decimal::parse(text) {
                out.push_str(shortest);
            } else {
                out.push_str(text);
            }
        }
        _ => out.push_str(text),
    }
}

/// A decimal number as its significant digits and the power of ten of the last one.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i128,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let trimmed = all.trim_end_matches('0');
        let digits = trimmed.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            // RFC 8785 writes minus zero as 0, and no power of ten makes it more.
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let exponent = i128::from(exponent.parse::<i64>().ok()?) - fraction.len() as i128
            + (all.len() - trimmed.len()) as i128;
        Some(Self { negative, digits, exponent })
    }
}

/// A member's name, in the order of its UTF-16 code units, as RFC 8785 sorts.
struct Name {
    text: String,
    units: Vec<u16>,
}

impl Name {
    fn new(text: String) -> Self {
        let units = text.encode_utf16().collect();
        Self { text, units }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.units == other.units
    }
}
impl Eq for Name {}
impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.units.cmp(&other.units)
    }
}

#[cfg(test)]
mod tests;
