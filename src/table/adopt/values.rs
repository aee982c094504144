//! Which values a column may hold, as far as checks, enums and defaults say: their texts are SQL, read
//! token by token and never trusted to be complete.

use super::super::{Family, Literal};
use super::facts::{CatalogueColumn, CatalogueTable};

/// A token of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A name in quotes.
    Quoted(String),
    /// A name or a keyword.
    Word(String),
    Text(String),
    Number(String),
    Sign(char),
}

/// Takes SQL apart; comments are left out.
fn tokens(sql: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = sql.chars().peekable();
    while let Some(c) = rest.next() {
        let mut until = |end: char, doubled: bool| {
            let mut text = String::new();
            while let Some(c) = rest.next() {
                if c == end {
                    if doubled && rest.peek() == Some(&end) {
                        rest.next();
                    } else {
                        break;
                    }
                }
                text.push(c);
            }
            text
        };
        match c {
            '\'' => out.push(Token::Text(until('\'', true))),
            '"' | '`' => out.push(Token::Quoted(until(c, true))),
            // PostgreSQL's ARRAY[ has a bracket too: a name in brackets is no list of values.
            '-' if rest.peek() == Some(&'-') => while rest.next_if(|c| *c != '\n').is_some() {},
            '/' if rest.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut word = c.to_string();
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
                    word.push(c);
                }
                out.push(Token::Word(word));
            }
            c if c.is_ascii_digit() => {
                let mut number = c.to_string();
                while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '.') {
                    number.push(c);
                }
                out.push(Token::Number(number));
            }
            c if c.is_whitespace() => {}
            c => out.push(Token::Sign(c)),
        }
    }
    out
}

/// Whether an expression of SQL speaks of a column.
pub(crate) fn mentions(sql: &str, column: &str) -> bool {
    tokens(sql).iter().any(|token| match token {
        Token::Quoted(name) | Token::Word(name) => name.eq_ignore_ascii_case(column),
        _ => false,
    })
}

/// The condition of a partial index in the statement that made it.
pub(crate) fn predicate_in(create_index: &str) -> Option<String> {
    let lower = create_index.to_ascii_lowercase();
    let at = lower.rfind(" where ").or_else(|| lower.rfind("\nwhere "))?;
    create_index.get(at + 7..).map(|text| text.trim().to_owned())
}

/// The checks in the text of a CREATE TABLE statement.
pub(crate) fn checks_in(create_table: &str) -> Vec<String> {
    // Positions are lost with the tokens, so that the text is walked by its own characters.
    let mut found = Vec::new();
    let characters: Vec<char> = create_table.chars().collect();
    let mut at = 0;
    let mut word = String::new();
    // Begin of the check that is open, and its depth.
    let mut open: Option<(usize, usize)> = None;
    let mut depth = 0_usize;
    let mut last_word = String::new();
    while at < characters.len() {
        let c = characters[at];
        let next = characters.get(at + 1).copied();
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            at += 1;
            continue;
        }
        if !word.is_empty() {
            last_word = std::mem::take(&mut word);
        }
        match (c, next) {
            ('\'' | '"' | '`', _) => {
                at += 1;
                while at < characters.len() && characters[at] != c {
                    at += 1;
                }
                last_word.clear();
            }
            ('[', _) => {
                while at < characters.len() && characters[at] != ']' {
                    at += 1;
                }
                last_word.clear();
            }
            ('-', Some('-')) => {
                while at < characters.len() && characters[at] != '\n' {
                    at += 1;
                }
            }
            ('/', Some('*')) => {
                at += 2;
                while at < characters.len() && !(characters[at - 1] == '*' && characters[at] == '/') {
                    at += 1;
                }
            }
            ('(', _) => {
                depth += 1;
                if open.is_none() && last_word.eq_ignore_ascii_case("check") {
                    open = Some((at, depth));
                }
                last_word.clear();
            }
            (')', _) => {
                if let Some((begin, of_depth)) = open
                    && of_depth == depth
                {
                    found.push(characters[begin..=at].iter().collect());
                    open = None;
                }
                depth = depth.saturating_sub(1);
                last_word.clear();
            }
            (c, _) if c.is_whitespace() => {}
            _ => last_word.clear(),
        }
        at += 1;
    }
    found
}

/// The values that a check allows in a column, where it says nothing else: a list, or `=` and OR.
fn allowed(check: &str, column: &CatalogueColumn, table: &CatalogueTable) -> Option<Vec<Literal>> {
    let tokens = tokens(check);
    let is_column = |name: &str, column: &CatalogueColumn| column.name.eq_ignore_ascii_case(name);
    const GRAMMAR: [&str; 19] = [
        "check",
        "in",
        "any",
        "array",
        "or",
        "is",
        "null",
        "text",
        "character",
        "varying",
        "varchar",
        "bpchar",
        "integer",
        "smallint",
        "bigint",
        "int",
        "char",
        "name",
        "constraint",
    ];
    let mut of_column = false;
    let mut lists = false;
    let mut values = Vec::new();
    let mut casts_to = false;
    let mut before = ' ';
    for token in &tokens {
        let cast = std::mem::take(&mut casts_to);
        match token {
            Token::Quoted(name) | Token::Word(name) if !cast && is_column(name, column) => of_column = true,
            Token::Quoted(name) | Token::Word(name)
                if !cast && table.columns.iter().any(|other| is_column(name, other)) =>
            {
                return None;
            }
            Token::Word(word) if GRAMMAR.iter().any(|known| word.eq_ignore_ascii_case(known)) => {
                lists |= word.eq_ignore_ascii_case("in") || word.eq_ignore_ascii_case("any");
            }
            // The name of a type, such as an enum's.
            Token::Word(_) | Token::Quoted(_) if cast => {}
            Token::Word(_) | Token::Quoted(_) => return None,
            Token::Text(text) => values.push(Literal::Text(text.clone())),
            Token::Number(number) => values.push(Literal::Int(number.parse().ok()?)),
            Token::Sign(sign @ ('(' | ')' | '[' | ']' | ',' | '=')) => {
                lists |= *sign == '=';
                before = *sign;
                continue;
            }
            Token::Sign(':') => {
                casts_to = before == ':';
                before = ':';
                continue;
            }
            Token::Sign(_) => return None,
        }
        before = ' ';
    }
    let is_number = column.family == Family::Integer;
    let values: Vec<Literal> = values
        .into_iter()
        .filter_map(|value| match value {
            Literal::Text(text) if is_number => text.parse().ok().map(Literal::Int),
            value => Some(value),
        })
        .collect();
    (of_column && lists && !values.is_empty()).then_some(values)
}

/// All values that the column may hold; `None` where nothing says so.
pub(crate) fn closed(column: &CatalogueColumn, table: &CatalogueTable) -> Option<Vec<Literal>> {
    if !column.labels.is_empty() {
        return Some(column.labels.iter().cloned().map(Literal::Text).collect());
    }
    let mut values = table.checks.iter().find_map(|check| allowed(check, column, table))?;
    let mut kept: Vec<Literal> = Vec::new();
    for value in values.drain(..) {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    Some(kept)
}

/// The value of the column's default, where that is one.
pub(crate) fn default(column: &CatalogueColumn) -> Option<Literal> {
    let tokens = tokens(column.default.as_deref()?);
    let tokens: Vec<&Token> = tokens.iter().filter(|token| **token != Token::Sign('(')).collect();
    // A cast may follow, a call or an operator may not.
    let ends = matches!(tokens.get(1), None | Some(Token::Sign(':' | ')')));
    match tokens.first()? {
        _ if !ends => None,
        Token::Text(text) => Some(Literal::Text(text.clone())),
        Token::Number(number) => number.parse().ok().map(Literal::Int),
        Token::Word(word) if word.eq_ignore_ascii_case("true") => Some(Literal::Bool(true)),
        Token::Word(word) if word.eq_ignore_ascii_case("false") => Some(Literal::Bool(false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
