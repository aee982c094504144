//! Statements live in `.sql` files; names and closed fragments come into them by `{tokens}`, values
//! only by binds. A token that nobody fills, or a fragment that nobody knows, is an error when the
//! store connects, not when the statement runs.

use super::Statement;

/// A statement that can't be rendered. It is a defect of this program, found at start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the statement {statement} has the unknown token {{{token}}}")]
pub struct TemplateError {
    /// The statement's name.
    pub statement: &'static str,
    /// The token.
    pub token: String,
}

/// The text of one statement with its tokens still in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Template {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

impl Template {
    /// Fills every token. Comment lines are for readers of the file and are left out.
    pub(crate) fn render(&self, tokens: &[(&'static str, String)]) -> Result<Statement, TemplateError> {
        let mut out = String::with_capacity(self.text.len() * 2);
        for line in self.text.lines().filter(|line| !line.trim_start().starts_with("--")) {
            let mut rest = line.trim_end();
            while let Some((before, after)) = rest.split_once('{') {
                let unknown = |token: &str| TemplateError { statement: self.name, token: token.to_owned() };
                let (token, after) = after.split_once('}').ok_or_else(|| unknown(after))?;
                let (_, fragment) =
                    tokens.iter().find(|(name, _)| *name == token).ok_or_else(|| unknown(token))?;
                out.push_str(before);
                // A fragment is final: whatever it contains is not searched for tokens again.
                out.push_str(fragment);
                rest = after;
            }
            out.push_str(rest);
            out.push('\n');
        }
        Ok(Statement::of(*self, out.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &'static str, tokens: &[(&'static str, String)]) -> Result<String, TemplateError> {
        Ok(Template { name: "test", text }.render(tokens)?.as_str().to_owned())
    }

    #[test]
    fn every_token_must_be_known() {
        let tokens = [("table", "\"a{b}\"".to_owned())];
        assert_eq!(render("-- why\nSELECT 1\n  FROM {table}", &tokens).unwrap(), "SELECT 1\n  FROM \"a{b}\"");
        assert_eq!(render("SELECT {tabel}", &tokens).unwrap_err().token, "tabel");
        assert!(render("SELECT {table", &tokens).is_err());
    }
}
