//! The expressions that are compared.

use chrono_tz::UTC;
use idemctl::janitor::Schedule;

use crate::cron_daemon::Crontab;

pub const CHOSEN: [&str; 40] = [
    // Sunday by both of its numbers, by name, and as the end of a range.
    "0 12 * * 0",
    "0 12 * * 7",
    "0 12 * * sun",
    "0 12 * * SAT,Sun",
    "0 12 * * 5-7",
    "0 12 * * 6-7",
    "0 12 * * fri-sun",
    "0 12 * * sat-0",
    "0 12 * * sun-tue",
    "0 12 * * 1-7/3",
    "0 12 * * */2",
    // Names.
    "5 4 * jan,Mar,DEC mon-fri",
    "5 4 1 feb-apr *",
    // Steps.
    "*/7 * * * *",
    "3-59/15 * * * *",
    "10-40/10,5 */5 * * *",
    "0 1-23/2 * * *",
    "*/90 * * * *",
    "0 */23 * * *",
    // Both day fields: either, or both where one starts with a star.
    "30 4 1,15 * 5",
    "0 0 13 * fri",
    "0 0 1-7 * mon",
    "0 0 */2 * mon",
    "0 0 13 * */5",
    "0 0 1-31 * mon",
    // Ends of months, and leap years.
    "59 23 31 * *",
    "0 0 30,31 * *",
    "0 0 31 1,3,5 *",
    "0 0 29 2 *",
    "0 0 29 2 1-5",
    "0 6 28-31 2 *",
    // Changes of the clock: fixed, in lists and ranges, and wildcards.
    "30 2 * * *",
    "30 1 * * *",
    "0 2,3 * * *",
    "15,45 1-3 * * sun",
    "*/20 2 * * *",
    "30 */2 * * *",
    "15 * * * *",
    "* 1-2 * * *",
    "0 3 * * 7",
];

/// The same numbers on every machine: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn within(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    fn field(&mut self, first: u64, last: u64, names: &[&str]) -> String {
        if self.below(100) < 4 {
            return format!("*/{}", self.within(1, last));
        }
        let parts = [1, 1, 1, 2, 3][self.below(5) as usize];
        (0..parts).map(|_| self.part(first, last, names)).collect::<Vec<_>>().join(",")
    }

    fn part(&mut self, first: u64, last: u64, names: &[&str]) -> String {
        let from = self.within(first, last);
        let to = self.within(from, last);
        let named = self.below(2) == 0;
        let say = |value: u64| match names.get((value - first) as usize) {
            Some(name) if named => (*name).to_owned(),
            _ => value.to_string(),
        };
        match self.below(4) {
            0 => format!("{}-{}", say(from), say(to)),
            1 => format!("{}-{}/{}", say(from), say(to), self.within(1, 7)),
            _ => say(from),
        }
    }

    /// A star in one of `rarely` cases is restricted.
    fn mostly_star(&mut self, rarely: u64, first: u64, last: u64, names: &[&str]) -> String {
        if self.below(rarely) == 0 { self.field(first, last, names) } else { "*".to_owned() }
    }

    fn expression(&mut self) -> String {
        const MONTHS: [&str; 12] =
            ["Jan", "feb", "MAR", "apr", "may", "jun", "jul", "aug", "Sep", "oct", "nov", "dec"];
        const DAYS: [&str; 7] = ["sun", "Mon", "tue", "wed", "THU", "fri", "sat"];
        let minute = match self.below(4) {
            0 => "*".to_owned(),
            1 => format!("*/{}", self.within(2, 45)),
            _ => self.field(0, 59, &[]),
        };
        let hour = match self.below(8) {
            0..3 => "*".to_owned(),
            3 => format!("*/{}", self.within(2, 13)),
            // Where the clock is changed.
            4 | 5 => self.field(0, 3, &[]),
            _ => self.field(0, 23, &[]),
        };
        let day = self.mostly_star(3, 1, 31, &[]);
        let month = self.mostly_star(4, 1, 12, &MONTHS);
        let weekday = self.mostly_star(3, 0, 7, &DAYS);
        let five = format!("{minute} {hour} {day} {month} {weekday}");
        // Some with seconds.
        if self.below(5) == 0 { format!("{} {five}", self.mostly_star(1, 0, 59, &[])) } else { five }
    }
}

/// The chosen ones, and 200 random ones. What is refused for never coming truly never comes.
pub fn all() -> Vec<String> {
    let mut random = Random(20_260_501);
    let mut all: Vec<String> = CHOSEN.iter().map(|text| (*text).to_owned()).collect();
    while all.len() < 240 {
        let text = random.expression();
        match Schedule::parse(&text, UTC) {
            Ok(_) => all.push(text),
            Err(error) => {
                assert!(error.to_string().contains("it would never start"), "{error}");
                let five = if text.split(' ').count() == 6 { text.split_once(' ').unwrap().1 } else { &text };
                let first = Crontab::read(five).starts_in_utc(chrono::DateTime::UNIX_EPOCH).next();
                assert_eq!(first, None, "{text}");
            }
        }
    }
    all
}

pub fn five_fields() -> Vec<String> {
    all().into_iter().filter(|text| text.split(' ').count() == 5).collect()
}
