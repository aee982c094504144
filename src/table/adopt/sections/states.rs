//! The state: its lines, and the questions about it.

use super::{Draft, asking, line};
use crate::table::adopt::facts::CatalogueColumn;
use crate::table::adopt::questions::{Choice, Question, ValueMeaning};
use crate::table::adopt::roles::Role;
use crate::table::adopt::state::{Shape, StateValues};
use crate::table::adopt::{Line, Section, names, toml, values};
use crate::table::{Family, Literal};

impl<'c> Draft<'c> {
    pub(super) fn mark_values_question(&self, column: &CatalogueColumn) -> Question {
        let name = &column.name;
        let columns = std::slice::from_ref(name);
        let values = values::closed(column, self.context.table).unwrap_or_default();
        let value = |value: &Literal| match value {
            Literal::Text(text) => toml::string(text),
            other => toml::string(&toml::literal(other)),
        };
        let parts: Vec<String> = values.iter().map(|one| format!("{} = \"completed\"", value(one))).collect();
        Question::new(
            format!("values.{name}"),
            "state.values",
            format!(
                "with which values of {name} is a row not held? They are completed, the others in_progress"
            ),
        )
        .on(columns)
        .showing(self.evidence(columns))
        .with(vec![Choice::new(
            format!("values.{} = {{ {} }}", toml::key(name), parts.join(", ")),
            "name only the values with which it is not held",
        )])
    }

    pub(super) fn mark_question(&self, name: &str) -> Question {
        let columns = [name.to_owned()];
        let both = |role: Role| Choice::roles(name, &[Role::SetMeans, role]);
        let is_text = self.column(name).is_some_and(|column| column.family == Family::Text);
        let owner = is_text.then_some(Role::Owner);
        Question::new(
            format!("column.{name}"),
            "clock.lease",
            format!("somebody works on a row while {name} is set: is it also until when, or since when?"),
        )
        .on(&columns)
        .showing(self.evidence(&columns))
        .with(
            [Role::Lease, Role::Alive, Role::Claimed]
                .into_iter()
                .chain(owner)
                .chain([Role::Irrelevant])
                .map(both)
                .collect(),
        )
    }

    pub(super) fn state(&mut self) -> Section {
        let state = self.state;
        let mut lines = Vec::new();
        let always = |state: &str, active, why: String| {
            line("table.state.always", format!("always = \"{state}\""), active, why)
        };
        match &state.shape {
            Shape::Column(values) => {
                self.map(&values.column, Role::State);
                lines = self.values(values);
            }
            Shape::Null(columns) => {
                for column in columns {
                    self.map(column, Role::NullMeans);
                }
                let mut questions = Vec::new();
                if state.ask_null {
                    questions.push(self.null_question(columns));
                }
                lines.push(asking(
                    line(
                        "table.state.null_means_in_progress",
                        format!("null_means_in_progress = {}", toml::strings(columns)),
                        true,
                        state.why.as_str(),
                    ),
                    questions,
                ));
            }
            Shape::Set => {}
            Shape::Always if !self.is_open() && !self.lacks_lease() => {
                lines.push(always("completed", true, state.why.clone()))
            }
            Shape::Always => {
                lines.push(always("completed", false, state.why.clone()));
                lines.push(always(
                    "in_progress",
                    true,
                    "until the questions about its clocks are answered: nothing purges a row in progress"
                        .into(),
                ));
            }
            Shape::Ask(columns) => {
                let question = self.state_question(columns);
                lines.push(asking(
                    always(
                        "in_progress",
                        true,
                        format!("{}; until that is answered: nothing purges a row in progress", state.why),
                    ),
                    vec![question],
                ));
            }
        }
        let others = self.asked_by("others");
        if let (Some(line), false) = (lines.last_mut(), others.is_empty()) {
            line.questions.push(self.others_question(&others));
        }
        if !state.marks.is_empty() {
            for (column, _) in &state.marks {
                self.map(column, Role::SetMeans);
            }
            let mark = |(column, unset): &(String, Vec<Literal>)| match unset.as_slice() {
                [] => toml::string(column),
                unset => {
                    format!("{{ column = {}, unset = {} }}", toml::string(column), toml::literals(unset))
                }
            };
            let marks: Vec<String> = state.marks.iter().map(mark).collect();
            let unclear = self.unclear_marks();
            let clocks = self.open_marks();
            let questions = clocks
                .iter()
                .map(|name| self.mark_question(name))
                .chain(unclear.iter().map(|column| self.mark_values_question(column)))
                .collect();
            lines.push(asking(
                line(
                    "table.state.set_means_in_progress",
                    format!("set_means_in_progress = [{}]", marks.join(", ")),
                    true,
                    "you said so",
                ),
                questions,
            ));
        }
        Section { header: "[table.state]", lines }
    }

    pub(super) fn others_question(&self, columns: &[String]) -> Question {
        let told = names(&self.state.columns());
        let text = format!(
            "{told} tells the state. Does another column say as well that a row is unfinished, or must stay: {}? Until \
             that is answered a purge is refused",
            names(columns)
        );
        let mut options = vec![Choice::new("others = \"none\"", "none of them")];
        for column in columns.iter().filter_map(|name| self.column(name)) {
            options.push(Choice::role(&column.name, Role::SetMeans));
        }
        Question::new("others", "state", text).on(columns).showing(self.evidence(columns)).with(options)
    }

    pub(super) fn state_question(&self, columns: &[String]) -> Question {
        let mut options = vec![Choice::new("state = \"none\"", "no column: a row that exists is done")];
        for column in columns.iter().filter_map(|name| self.column(name)) {
            let offered = Role::offered(column, self.context.samples, false);
            options.extend(offered.into_iter().map(|roles| Choice::roles(&column.name, &roles)));
        }
        let text = match columns {
            [] => "how does a row say that its work is done?".to_owned(),
            [one] => format!("does {one} say that the work on a row is unfinished, and how?"),
            several => format!(
                "how does a row say that its work is unfinished? One of these columns may say it: {}",
                names(several)
            ),
        };
        Question::new("state", "state", text).on(columns).showing(self.evidence(columns)).with(options)
    }

    pub(super) fn null_question(&self, columns: &[String]) -> Question {
        let what = if columns.len() == 1 { "NULL there" } else { "NULL in all of them" };
        let text = format!(
            "does {what} mean that the work is in progress, or is it a finished row without an answer ({})?",
            names(columns)
        );
        let mut options: Vec<Choice> =
            columns.iter().map(|column| Choice::role(column, Role::NullMeans)).collect();
        options.push(Choice::new("state = \"none\"", "a row that exists is done, with or without an answer"));
        Question::new("state", "state.null", text).on(columns).showing(self.evidence(columns)).with(options)
    }

    pub(super) fn values(&self, values: &StateValues) -> Vec<Line> {
        let mut questions = Vec::new();
        if values.ask {
            questions.push(self.values_question(values));
        }
        let column = &values.column;
        let mut lines = vec![asking(
            line(
                "table.state.column",
                format!("column = {}", toml::string(column)),
                true,
                self.state.why.as_str(),
            ),
            questions,
        )];
        let mut nothing = true;
        let lists = [
            ("in_progress", &values.in_progress),
            ("completed", &values.completed),
            ("failed", &values.failed),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            nothing = false;
            let toml = format!("{name} = {}", toml::literals(list));
            lines.push(line(&format!("table.state.{name}"), toml, true, ""));
        }
        if !values.keep.is_empty() {
            lines.push(line(
                "table.state.keep",
                format!("keep = {}", toml::literals(&values.keep)),
                true,
                "kept on purpose",
            ));
        }
        let null = match values.null {
            Some(ValueMeaning::InProgress) => Some("in_progress"),
            Some(ValueMeaning::Completed) => Some("completed"),
            Some(ValueMeaning::Failed) => Some("failed"),
            Some(ValueMeaning::Keep) => Some("keep"),
            None => None,
        };
        if let Some(null) = null {
            lines.push(line("table.state.null", format!("null = \"{null}\""), true, "you said so"));
        } else if nothing {
            lines.push(line(
                "table.state.null",
                "null = \"keep\"".into(),
                true,
                "until the values are listed no row's state is known, and none is touched",
            ));
        }
        lines
    }

    pub(super) fn values_question(&self, values: &StateValues) -> Question {
        let column = &values.column;
        let literal = |value: &Literal| match value {
            Literal::Text(text) => text.clone(),
            other => toml::literal(other),
        };
        let text = match values.known.as_slice() {
            [] => format!("nothing lists the values of {column}: which are there, and what does each mean?"),
            _ if values.closed => format!("what does each value of {column} mean?"),
            _ => format!("what does each value of {column} mean, and are there others?"),
        };
        let mut unclear: Vec<String> =
            values.unclear.iter().flatten().map(|value| toml::string(&literal(value))).collect();
        if values.unclear.contains(&None) {
            unclear.push("NULL".into());
        }
        let text = match unclear.is_empty() {
            true => text,
            false => format!("{text} Not clear: {}", unclear.join(", ")),
        };
        let known = |value: &Literal| {
            let of = [
                (&values.in_progress, "in_progress"),
                (&values.completed, "completed"),
                (&values.failed, "failed"),
                (&values.keep, "keep"),
            ];
            of.into_iter().find(|(list, _)| list.contains(value)).map_or("keep", |(_, name)| name)
        };
        let mut parts: Vec<String> = values
            .known
            .iter()
            .map(|value| format!("{} = \"{}\"", toml::string(&literal(value)), known(value)))
            .collect();
        if values.unclear.contains(&None) {
            parts.push("NULL = \"keep\"".into());
        }
        let example = format!("values.{} = {{ {} }}", toml::key(column), parts.join(", "));
        let mut options = vec![Choice::new(
            example,
            "each value in_progress, completed, failed, or keep; a value that is left out is never touched",
        )];
        // It was taken for the state, and may be something else.
        if self.context.answers.roles(column).is_none() && self.context.preset.is_none() {
            options.push(Choice::role(column, Role::Irrelevant));
        }
        Question::new(format!("values.{column}"), "state.values", text)
            .on(std::slice::from_ref(column))
            .showing(self.evidence(std::slice::from_ref(column)))
            .with(options)
    }
}
