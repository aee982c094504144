//! One statement as text and binds. Nothing edits the text after it was rendered: a name may hold whatever one would
//! search the text for.

use std::ops::Range;
use std::sync::Arc;

use super::Template;

/// A statement, ready to run. Who wants another one renders it anew, or puts SQL in the place of its binds.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    text: Arc<str>,
    binds: Arc<[Bind]>,
    template: Option<Template>,
}

/// `$3`: where it stands in the text, and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bind {
    place: Range<usize>,
    number: usize,
}

impl Statement {
    pub(crate) fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self { binds: binds(&text).into(), text, template: None }
    }

    pub(super) fn of(template: Template, text: String) -> Self {
        Self { template: Some(template), ..Self::new(text) }
    }

    /// What it was rendered from, where that was a template.
    pub(crate) fn template(&self) -> Option<Template> {
        self.template
    }

    /// The statement that says how this one would be run.
    pub(crate) fn explained(&self, words: &str) -> Self {
        Self::new(format!("{words} {}", self.text))
    }

    /// The same with SQL in the place of each bind; `None` where there is none for one of them.
    pub(crate) fn inlined(&self, value: impl Fn(usize) -> Option<String>) -> Option<Self> {
        let mut out = String::with_capacity(self.text.len() + 64);
        let mut end = 0;
        for bind in &*self.binds {
            out.push_str(&self.text[end..bind.place.start]);
            out.push_str(&value(bind.number)?);
            end = bind.place.end;
        }
        out.push_str(&self.text[end..]);
        Some(Self::new(out))
    }

    /// The same with NULL in the place of each bind: what it takes to prepare and explain it.
    pub(crate) fn with_nulls(&self) -> Self {
        self.inlined(|_| Some("NULL".to_owned())).unwrap_or_else(|| self.clone())
    }

    pub(crate) fn text(&self) -> Arc<str> {
        self.text.clone()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// The binds of a text. What stands in quotes is a name or a text; a doubled quote in it is two of them.
fn binds(text: &str) -> Vec<Bind> {
    let mut binds = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['$', '\'', '"', '`']) {
        let start = at + next;
        let after = start + 1;
        let rest = &text[after..];
        if text[start..].starts_with('$') {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if let Ok(number) = rest[..digits].parse() {
                binds.push(Bind { place: start..after + digits, number });
            }
            at = after + digits;
        } else {
            let quote = &text[start..after];
            at = rest.find(quote).map_or(text.len(), |closing| after + closing + 1);
        }
    }
    binds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binds_are_found_outside_of_quotes_alone() {
        let numbers = |text| binds(text).into_iter().map(|bind| bind.number).collect::<Vec<_>>();
        assert_eq!(numbers("SELECT $1, $12-$2"), [1, 12, 2]);
        assert_eq!(numbers("\"a$1\"\"$2\" = $3 AND `$4``$5` <> '$6''$7'"), [3]);
        assert_eq!(numbers("a$ b$x '$1"), Vec::<usize>::new());
        let statement = Statement::new("UPDATE \"$1\" SET a = $1 WHERE b = $2");
        assert_eq!(statement.with_nulls().as_str(), "UPDATE \"$1\" SET a = NULL WHERE b = NULL");
        assert!(statement.inlined(|number| (number == 1).then(|| "1".to_owned())).is_none());
    }
}
