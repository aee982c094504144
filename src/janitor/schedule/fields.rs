//! Reads the fields of a crontab expression: text to the set of values it names.
//!
//! The rules are those of crontab(5), where Debian's cron and cronie agree. Where Debian's accepts
//! what then never runs (`fri-mon`, `22-2`), it is refused here, as cronie does, with what to write
//! instead.

/// The values that a field names, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldValues {
    bits: u64,
    /// The field starts with `*`. Cron looks at this first character, and at nothing else, to tell
    /// a wildcard: `*/2` is one, `0-23` is not.
    pub(super) starred: bool,
}

impl FieldValues {
    /// For the engine: `1,2,5`; every value of `field` is `*`.
    pub(super) fn list(self, field: &Field, shift: u32) -> String {
        let mut values = (0..64).filter(|value| self.bits & (1 << value) != 0).peekable();
        let mut list = String::new();
        if self.bits == field.all() {
            return "*".to_owned();
        }
        while let Some(value) = values.next() {
            list.push_str(&(value + shift).to_string());
            if values.peek().is_some() {
                list.push(',');
            }
        }
        list
    }
}

/// What a field may hold.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    first: u32,
    last: u32,
    names: &'static [&'static str],
    /// An expression that shows this field at work.
    pub(super) example: &'static str,
}

pub(super) static SECOND: Field =
    Field { name: "second", first: 0, last: 59, names: &[], example: "*/10 * * * * *" };
pub(super) static MINUTE: Field =
    Field { name: "minute", first: 0, last: 59, names: &[], example: "*/5 * * * *" };
pub(super) static HOUR: Field =
    Field { name: "hour", first: 0, last: 23, names: &[], example: "30 1-5 * * *" };
pub(super) static DAY_OF_MONTH: Field =
    Field { name: "day of month", first: 1, last: 31, names: &[], example: "0 3 1,15 * *" };
pub(super) static MONTH: Field = Field {
    name: "month",
    first: 1,
    last: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    example: "0 3 1 jan-mar *",
};
/// 0 and 7 are Sunday; steps count through both, as cron's do.
pub(super) static DAY_OF_WEEK: Field = Field {
    name: "day of week",
    first: 0,
    last: 7,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
    example: "0 3 * * mon-fri",
};

impl Field {
    /// The values of this field in `text`, or what is wrong with it.
    pub(super) fn read(&self, text: &str) -> Result<FieldValues, String> {
        let mut bits = 0;
        for part in text.split(',') {
            if part.is_empty() {
                return Err(format!("{text:?} has a comma too many"));
            }
            bits |= self.part(part)?;
        }
        if self.is_week() && bits & (1 << 7) != 0 {
            bits = bits & !(1 << 7) | 1;
        }
        Ok(FieldValues { bits, starred: text.starts_with('*') })
    }

    /// One element of the list: a value, `*` or a range, the latter two with or without a step.
    fn part(&self, part: &str) -> Result<u64, String> {
        let (span, step) = match part.split_once('/') {
            Some((span, step)) => (span, Some(step)),
            None => (part, None),
        };
        let (from, to) = if span == "*" {
            (self.first, self.last)
        } else if let Some((from, to)) = span.split_once('-') {
            self.range(from, to)?
        } else if let Some(step) = step {
            let value = self.value(span)?;
            return Err(format!(
                "a step needs a range before it: {value}-{}/{step} or */{step} instead of {part:?}",
                self.last
            ));
        } else {
            let value = self.value(span)?;
            (value, value)
        };
        let step = match step {
            None => 1,
            Some(text) => match number(text) {
                Some(step) if step > 0 => step,
                _ => return Err(format!("the step {text:?} is not a whole number from 1 on")),
            },
        };
        Ok((from..=to).step_by(step as usize).fold(0, |bits, value| bits | 1 << value))
    }

    fn range(&self, from: &str, to: &str) -> Result<(u32, u32), String> {
        let (first, last) = (self.value(from)?, self.value(to)?);
        match (first, last) {
            // `fri-sun`: a week that ends on Sunday.
            (first, 0) if self.is_week() && first > 0 => Ok((first, 7)),
            (first, last) if first <= last => Ok((first, last)),
            // `7-1`
            (7, last) if self.is_week() => {
                Err(format!("the range {from}-{to} runs backwards; write {}", self.span(0, last)))
            }
            (first, last) => {
                let end = if self.is_week() { 6 } else { self.last };
                Err(format!(
                    "the range {from}-{to} runs backwards; write {},{}",
                    self.span(first, end),
                    self.span(self.first, last)
                ))
            }
        }
    }

    fn span(&self, from: u32, to: u32) -> String {
        let say = |value: u32| match self.names.get((value - self.first) as usize) {
            Some(name) => (*name).to_owned(),
            None => value.to_string(),
        };
        if from == to { say(from) } else { format!("{}-{}", say(from), say(to)) }
    }

    fn value(&self, text: &str) -> Result<u32, String> {
        if let Some(at) = self.names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
            return Ok(at as u32 + self.first);
        }
        match number(text) {
            Some(value) if (self.first..=self.last).contains(&value) => Ok(value),
            _ if self.names.is_empty() => {
                Err(format!("{text:?} is not a number from {} to {}", self.first, self.last))
            }
            _ => Err(format!(
                "{text:?} is neither a number from {} to {} nor one of {}",
                self.first,
                self.last,
                self.names.join(" ")
            )),
        }
    }

    fn all(&self) -> u64 {
        let last = if self.is_week() { 6 } else { self.last };
        (self.first..=last).fold(0, |bits, value| bits | 1 << value)
    }

    fn is_week(&self) -> bool {
        self.last == 7
    }
}

/// Digits and nothing else; a sign or a space is none.
fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
