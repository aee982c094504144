//! What is read of a row: its record, its state and its answer.

use super::{Fragments, SEEN};
use crate::table::{Ident, Mapping};

impl Fragments<'_> {
    /// A column that a mapping may lack: a typed NULL in its place.
    pub(super) fn shown(&self, ident: Option<&Ident>, sql_type: &str) -> String {
        match ident {
            Some(ident) => self.quote(ident),
            None => format!("CAST(NULL AS {sql_type})"),
        }
    }

    pub(super) fn shown_text(&self, ident: Option<&Ident>) -> String {
        ident.map_or_else(|| "CAST(NULL AS text)".to_owned(), |ident| self.text(ident))
    }

    pub(super) fn null_clock(&self) -> String {
        format!("CAST(NULL AS {})", self.grammar().moment_type())
    }

    /// The columns that name a row, as they are compared and ordered.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let mapping = self.mapping;
        mapping.key.iter().chain(&mapping.scope).map(|ident| self.quote(ident))
    }

    /// The columns of a row in the order that [`crate::store::KeyRow`] reads them: names first,
    /// then state, then the rest.
    pub(super) fn record(&self) -> String {
        let Mapping { key, scope, shown, .. } = self.mapping;
        let mut columns: Vec<String> = key.iter().chain(scope).map(|ident| self.name(ident)).collect();
        if !self.columns.key_is_unique {
            columns.extend(self.locator_texts());
        }
        let names = columns.len();
        columns.push(self.state_value());
        if !self.mapping.state.marks.is_empty() {
            columns
                .push(format!("CASE WHEN {} THEN 1 ELSE 0 END", self.mapping.state.is_marked(self.columns)));
            columns.extend(self.mapping.state.marks.iter().map(|mark| self.name(&mark.column)));
        }
        columns.extend([
            self.shown_text(shown.request_hash.as_ref()),
            self.response_status(),
            self.shown_text(shown.response_headers.as_ref()),
            self.response_bytes(),
            self.shown(shown.token.as_ref(), self.grammar().token_type()),
            self.shown(shown.attempt.as_ref(), "integer"),
            self.shown_text(shown.owner.as_ref()),
            self.shown(shown.retry_allowed.as_ref(), "boolean"),
            self.shown_text(shown.failure.as_ref()),
        ]);
        if !self.mapping.is_owned() {
            columns.push(self.shown_text(shown.response_ref.as_ref()));
        }
        columns.extend(self.mapping.read_clocks().map(|role| self.clock(role)));
        // A column may be a clock or a name as well, and the order by that is of the column, not of what is shown.
        if !self.mapping.is_owned() {
            for (number, shown) in columns.iter_mut().skip(names).enumerate() {
                shown.push_str(&format!(" AS shown_{number}"));
            }
        }
        columns.join(", ")
    }

    /// The state as it is written, as text.
    pub(super) fn state_value(&self) -> String {
        match self.mapping.state.column() {
            Some(column) => self.name(column),
            None => self.mapping.state.value(self.columns),
        }
    }

    /// A member of a JSON document as text, where the database itself can look into it.
    pub(super) fn json_member(&self, column: &Ident, path: &str) -> String {
        let member = self.grammar().json_member(&self.quote(column), self.columns.family(column), path);
        member.unwrap_or_else(|| "CAST(NULL AS text)".to_owned())
    }

    pub(super) fn response_bytes(&self) -> String {
        let shown = &self.mapping.shown;
        if let Some(ident) = &shown.response_bytes {
            return self.shown(Some(ident), "bigint");
        }
        let body = shown.response_body.as_ref().and_then(|body| Some((body, self.columns.family(body)?)));
        let bytes = body.and_then(|(body, family)| self.grammar().body_bytes(&self.quote(body), family));
        bytes.unwrap_or_else(|| "CAST(NULL AS bigint)".to_owned())
    }

    pub(super) fn answer(&self) -> String {
        let shown = &self.mapping.shown;
        let column = match &shown.snapshot {
            Some(snapshot) => Some(&snapshot.column),
            None => shown.response_body.as_ref(),
        };
        let body = match column {
            Some(ident) => self.grammar().body(&self.quote(ident), self.columns.family(ident)),
            None => format!("CAST(NULL AS {})", self.grammar().body_type()),
        };
        [
            self.response_status(),
            self.shown_text(shown.response_headers.as_ref()),
            body,
            self.shown(shown.response_bytes.as_ref(), "bigint"),
        ]
        .join(", ")
    }

    /// The row is exactly the one that was shown: every column that can change is compared, since the
    /// key may have been reaped and claimed again in between.
    pub(super) fn as_seen(&self, first_bind: usize) -> String {
        let shown = &self.mapping.shown;
        let mut seen = vec![
            self.state_value(),
            self.shown(shown.token.as_ref(), self.grammar().token_type()),
            self.shown(shown.attempt.as_ref(), "integer"),
            self.shown(shown.retry_allowed.as_ref(), "boolean"),
        ];
        seen.extend(self.mapping.read_clocks().map(|role| self.clock(role)));
        debug_assert_eq!(seen.len(), SEEN);
        let state = self.mapping.state.column().and_then(|column| self.columns.exact(column));
        if let Some(exact) = state {
            seen[0] = exact;
        }
        // A lock that another worker took meanwhile is another claim.
        seen.extend(
            self.mapping
                .state
                .marks
                .iter()
                .map(|mark| self.columns.exact(&mark.column).unwrap_or_else(|| self.name(&mark.column))),
        );
        seen.iter()
            .enumerate()
            .map(|(index, column)| format!("{column} IS NOT DISTINCT FROM ${}", first_bind + index))
            .collect::<Vec<_>>()
            .join("\n  AND ")
    }
}
