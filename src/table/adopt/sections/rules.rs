//! What is written to a row, and what may be deleted.

use super::{Draft, asking, line};
use crate::table::Literal;
use crate::table::adopt::questions::{Choice, Question, RuleAnswer};
use crate::table::adopt::state::Shape;
use crate::table::adopt::{Line, Section, names, toml};

impl<'c> Draft<'c> {
    /// A rule that was answered; `None` where it was not.
    pub(super) fn rule(&self, setting: &str, answer: Option<&RuleAnswer>) -> Option<Vec<Line>> {
        let members = |pairs: &[(String, Literal)]| {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|(column, value)| format!("{} = {}", toml::key(column), toml::literal(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        };
        let said = "you said so";
        let active = setting != "table.fail" || self.can_reap();
        Some(match answer? {
            RuleAnswer::None => Vec::new(),
            RuleAnswer::Delete => vec![line(setting, "delete = true".into(), active, said)],
            RuleAnswer::Set { set, null, now } => {
                let mut lines = Vec::new();
                if !set.is_empty() {
                    lines.push(line(setting, format!("set = {}", members(set)), active, said));
                }
                for (name, columns) in [("set_null", null), ("set_now", now)] {
                    if !columns.is_empty() {
                        lines.push(line(setting, format!("{name} = {}", toml::strings(columns)), active, ""));
                    }
                }
                lines
            }
        })
    }

    pub(super) fn fail(&self) -> Section {
        let header = "[table.fail]";
        if let Some(lines) = self.rule("table.fail", self.context.answers.fail.as_ref()) {
            return Section { header, lines };
        }
        if !self.may_be_at_work() {
            return Section { header, lines: Vec::new() };
        }
        let failed = match &self.state.shape {
            Shape::Column(values) => values.failed.first().map(|value| (values, value)),
            _ => None,
        };
        let mut options =
            vec![Choice::new("fail = \"delete\"", "the row is deleted: the next request starts anew")];
        let written = failed
            .map(|(values, value)| format!("{{ {} = {} }}", toml::key(&values.column), toml::literal(value)));
        if let Some(written) = &written {
            options.insert(0, Choice::new(format!("fail = {written}"), "the value that means failed"));
        }
        options.push(Choice::new("fail = \"none\"", "reap-stuck and fail stay off"));
        let question = Question::new(
            "fail",
            "fail",
            "what does the application write when the work fails? reap-stuck and fail write the same",
        )
        .with(options);
        let line = match (failed, written) {
            (Some((values, _)), Some(written)) => {
                let active =
                    values.closed && values.failed.len() == 1 && !self.is_open() && self.is_read_rightly();
                let line =
                    line("table.fail", format!("set = {written}"), active, "the value that means failed");
                asking(line, if active { Vec::new() } else { vec![question] })
            }
            _ => asking(
                line("table.fail", "delete = true".into(), false, "no value that means failed is known"),
                vec![question],
            ),
        };
        Section { header, lines: vec![line] }
    }

    /// Whether a row can be failed by this mapping.
    pub(super) fn can_fail(&self) -> bool {
        matches!(&self.state.shape, Shape::Column(values) if !values.failed.is_empty())
    }

    pub(super) fn release(&self) -> Section {
        let header = "[table.release]";
        if let Some(lines) = self.rule("table.release", self.context.answers.release.as_ref()) {
            return Section { header, lines };
        }
        if !self.may_be_at_work() || !self.can_fail() {
            return Section { header, lines: Vec::new() };
        }
        let line = line(
            "table.release",
            "delete = true".into(),
            false,
            "what lets a failed key be tried again: until it is said, release is refused",
        );
        Section { header, lines: vec![line] }
    }

    pub(super) fn claim(&self) -> Section {
        let header = "[table.claim]";
        if !self.state.is_known() {
            return Section { header, lines: Vec::new() };
        }
        let can_fail = self.may_be_at_work() && self.can_fail();
        let said = self.context.answers.claim.as_ref();
        let mut lines = Vec::new();
        let mut add = |name: &str, answered: Option<Option<&String>>, default: &str| {
            match answered {
            Some(Some(value)) => lines.push(line(
                &format!("table.claim.{name}"),
                format!("{name} = {}", toml::string(value)),
                true,
                "you said so",
            )),
            Some(None) => {}
            None => lines.push(line(
                &format!("table.claim.{name}"),
                format!("{name} = {}", toml::string(default)),
                false,
                match name {
                    "expired" => "whether the application's claim treats an expired row as absent, or blocks: until \
                                  it is said, the verdict on such a row is unknown",
                    _ => "whether a failed key may be tried again (retry), or is final: until it is said, the verdict \
                          on it is unknown",
                },
            )),
        }
        };
        add("expired", said.map(|(expired, _)| expired.as_ref()), "blocks");
        if can_fail || said.is_some_and(|(_, failed)| failed.is_some()) {
            add("failed", said.map(|(_, failed)| failed.as_ref()), "final");
        }
        Section { header, lines }
    }

    pub(super) fn purge(&self) -> Section {
        let table = self.context.table;
        let mut lines = Vec::new();
        if !table.inbound.is_empty() {
            let said = self.context.answers.allow_cascade;
            let question = Question::new(
                "allow_cascade",
                "purge.allow_cascade",
                format!(
                    "may a purge reach the rows of other tables that point here: {}?",
                    names(&table.inbound)
                ),
            )
            .with(vec![
                Choice::new("allow_cascade = true", "the purge deletes or changes them too"),
                Choice::new("allow_cascade = false", "the purge is refused"),
            ]);
            let why = if said.is_some() { "you said so" } else { "no catalogue says it" };
            lines.push(asking(
                line(
                    "table.purge.allow_cascade",
                    format!("allow_cascade = {}", said.unwrap_or(true)),
                    said.is_some(),
                    why,
                ),
                if said.is_some() { Vec::new() } else { vec![question] },
            ));
        }
        Section { header: "[table.purge]", lines }
    }
}
