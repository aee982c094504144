//! Names for columns, tables and states, in the registers and styles in which people write them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fastrand::Rng;

/// By pool and register.
static POOLS: LazyLock<BTreeMap<&str, BTreeMap<&str, Vec<&str>>>> = LazyLock::new(|| {
    let mut pools: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    let mut pool = "";
    for line in include_str!("names.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[') {
            pool = heading.trim_end_matches(']');
            continue;
        }
        let (register, names) = line.split_once(' ').expect("a register and its names");
        pools.entry(pool).or_default().insert(register, names.split_whitespace().collect());
    }
    pools
});

const LANGUAGES: [&str; 8] = ["de", "fr", "es", "it", "pt", "nl", "pl", "tr"];

/// How a table's names are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `expires_at`
    Snake,
    /// `expiresAt`
    Camel,
    /// `ExpiresAt`
    Pascal,
    /// `expiresat`: camel case that PostgreSQL folded.
    Folded,
    /// `EXPIRES_AT`
    Upper,
    /// `ik_expires_at`
    Prefixed(&'static str),
}

/// Names the columns of one table.
pub struct Namer {
    style: Style,
    /// The register that most of the names are from.
    register: &'static str,
    /// How many names in a hundred say nothing.
    opaque: u32,
    used: BTreeSet<String>,
}

impl Namer {
    /// English in snake case.
    pub fn plain() -> Self {
        Self { style: Style::Snake, register: "en", opaque: 0, used: BTreeSet::new() }
    }

    pub fn draw(dice: &mut Rng) -> Self {
        let style = match dice.u32(0..100) {
            0..58 => Style::Snake,
            58..69 => Style::Camel,
            69..78 => Style::Folded,
            78..84 => Style::Pascal,
            84..89 => Style::Upper,
            _ => Style::Prefixed(["ik_", "t_", "req_", "c_", "f_", "x"][dice.usize(0..6)]),
        };
        let (register, opaque) = match dice.u32(0..100) {
            0..68 => ("en", 2),
            68..84 => (LANGUAGES[dice.usize(0..LANGUAGES.len())], 2),
            84..93 => ("ab", 3),
            93..97 => ("en", 35),
            _ => ("en", 100),
        };
        Self { style, register, opaque, used: BTreeSet::new() }
    }

    /// A name from a pool that this table does not have yet.
    pub fn name(&mut self, dice: &mut Rng, pool: &str) -> String {
        loop {
            let name = if dice.u32(0..100) < self.opaque {
                let stem = ["c", "col", "fld", "attr", "x", "k", "val", "u_", "z"][dice.usize(0..9)];
                format!("{stem}{}", dice.u32(1..90))
            } else {
                self.styled(self.word(dice, pool))
            };
            let name = match self.used.contains(&name.to_lowercase()) {
                true if dice.u32(0..4) == 0 => format!("{name}2"),
                _ => name,
            };
            if self.used.insert(name.to_lowercase()) {
                return name;
            }
        }
    }

    /// A state as it is written in a row.
    pub fn value(&self, dice: &mut Rng, pool: &str, upper: bool) -> String {
        let word = self.word(dice, pool);
        if upper { word.to_uppercase() } else { word.to_owned() }
    }

    fn word(&self, dice: &mut Rng, pool: &str) -> &'static str {
        let registers = POOLS.get(pool).unwrap_or_else(|| panic!("there is no pool {pool}"));
        let register = match dice.u32(0..100) {
            0..75 => self.register,
            75..79 if self.opaque > 0 => "ab",
            _ => "en",
        };
        let words = registers.get(register).unwrap_or(&registers["en"]);
        words[dice.usize(0..words.len())]
    }

    fn styled(&self, words: &str) -> String {
        let capital = |word: &str| match word.split_at_checked(1) {
            Some((first, rest)) => format!("{}{rest}", first.to_uppercase()),
            None => String::new(),
        };
        match self.style {
            Style::Snake => words.to_owned(),
            Style::Folded => words.replace('_', "").to_lowercase(),
            Style::Upper => words.to_uppercase(),
            Style::Prefixed(prefix) => format!("{prefix}{words}"),
            Style::Pascal => words.split('_').map(capital).collect(),
            Style::Camel => {
                let (first, rest) = words.split_once('_').unwrap_or((words, ""));
                format!("{first}{}", rest.split('_').map(capital).collect::<String>())
            }
        }
    }
}
