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
mod tests {
    use super::*;

    #[track_caller]
    fn reads(field: &Field, text: &str, list: &str) {
        assert_eq!(field.read(text).map(|values| values.list(field, 0)).as_deref(), Ok(list), "{text}");
    }

    #[test]
    fn values_ranges_and_steps() {
        reads(&MINUTE, "*", "*");
        reads(&MINUTE, "0-59", "*");
        reads(&MINUTE, "7", "7");
        reads(&MINUTE, "007", "7");
        reads(&MINUTE, "*/20", "0,20,40");
        reads(&MINUTE, "*/90", "0");
        reads(&MINUTE, "10-30/7", "10,17,24");
        reads(&MINUTE, "5-5/3,1", "1,5");
        reads(&HOUR, "22-23,0-2", "0,1,2,22,23");
        reads(&MONTH, "JAN-mar,Dec", "1,2,3,12");
        reads(&MONTH, "11-dec", "11,12");
    }

    #[test]
    fn sunday_is_0_and_7() {
        reads(&DAY_OF_WEEK, "7", "0");
        reads(&DAY_OF_WEEK, "0,7", "0");
        reads(&DAY_OF_WEEK, "5-7", "0,5,6");
        reads(&DAY_OF_WEEK, "fri-sun", "0,5,6");
        reads(&DAY_OF_WEEK, "6-0", "0,6");
        reads(&DAY_OF_WEEK, "sun-tue", "0,1,2");
        reads(&DAY_OF_WEEK, "1-7/2", "0,1,3,5");
        reads(&DAY_OF_WEEK, "*/7", "0");
        reads(&DAY_OF_WEEK, "0-6", "*");
        reads(&DAY_OF_WEEK, "1-7", "*");
    }

    #[test]
    fn a_wildcard_is_what_starts_with_a_star() {
        for (text, starred) in [("*", true), ("*/2", true), ("*,5", true), ("5,*", false), ("0-59", false)] {
            assert_eq!(MINUTE.read(text).map(|values| values.starred), Ok(starred), "{text}");
        }
    }

    #[test]
    fn refusals_say_what_to_write() {
        for (field, text, wanted) in [
            (&MINUTE, "60", "\"60\" is not a number from 0 to 59"),
            (&MINUTE, "99999999999", "\"99999999999\" is not a number from 0 to 59"),
            (&MINUTE, "+5", "\"+5\" is not a number from 0 to 59"),
            (&MINUTE, "1,,2", "\"1,,2\" has a comma too many"),
            (&MINUTE, "5/15", "a step needs a range before it: 5-59/15 or */15 instead of \"5/15\""),
            (&MINUTE, "*/0", "the step \"0\" is not a whole number from 1 on"),
            (&MINUTE, "*/", "the step \"\" is not a whole number from 1 on"),
            (&MINUTE, "1--5", "\"-5\" is not a number from 0 to 59"),
            (&HOUR, "22-2", "the range 22-2 runs backwards; write 22-23,0-2"),
            (&DAY_OF_WEEK, "fri-mon", "the range fri-mon runs backwards; write fri-sat,sun-mon"),
            (&DAY_OF_WEEK, "6-1", "the range 6-1 runs backwards; write sat,sun-mon"),
            (&DAY_OF_WEEK, "7-1", "the range 7-1 runs backwards; write sun-mon"),
            (&MONTH, "nov-feb", "the range nov-feb runs backwards; write nov-dec,jan-feb"),
            (
                &DAY_OF_WEEK,
                "monday",
                "\"monday\" is neither a number from 0 to 7 nor one of sun mon tue wed thu fri sat",
            ),
            (&DAY_OF_MONTH, "0", "\"0\" is not a number from 1 to 31"),
            (&DAY_OF_MONTH, "L", "\"L\" is not a number from 1 to 31"),
        ] {
            assert_eq!(field.read(text).unwrap_err(), wanted);
        }
    }
}
