//! Draws a table from the parts that idempotency tables are made of, and fills it with rows whose truth is known.

use chrono_tz::Tz;
use fastrand::Rng;

use crate::model::{
    Cell, Child, Column, Expiry, Failing, Life, Meaning, Role, Row, Says, StateShape, Table, Truth, Writing,
    quoted,
};
use crate::names::Namer;
use crate::support::Dialect;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The moments of a row's life, in seconds after the moment at which the table is filled.
#[derive(Debug, Clone, Copy)]
struct Moment {
    number: usize,
    life: Life,
    created: i64,
    claimed: i64,
    alive: i64,
    lease: i64,
    finished: i64,
    expires: i64,
}

impl Moment {
    fn is_unfinished(&self) -> bool {
        self.life.is_unfinished()
    }
}

type Fill = Box<dyn Fn(&mut Rng, &Moment) -> Cell>;

/// A table in the making.
struct Draw {
    dice: Rng,
    names: Namer,
    dialect: Dialect,
    columns: Vec<(Column, Fill)>,
    types: Vec<(String, Vec<String>)>,
    /// How most clocks of the table are written.
    writing: Writing,
    zone: Tz,
    /// Rows may have failed although no value of a state says so.
    fails: bool,
    is_plain: bool,
    salt: u64,
}

/// What a table's application does.
#[derive(Debug, Clone, Copy)]
struct Habits {
    ttl: i64,
    expiry: Expiry,
    /// The expiry counts from the last claim, not from the first.
    restamps: bool,
    reclaims: bool,
    /// Lock columns become NULL when the work is done.
    clears: bool,
}

/// The table of a seed.
pub fn draw(seed: u64, dialect: Dialect) -> Table {
    let mut dice = Rng::with_seed(seed);
    // Many teams write as everybody does, and have no more columns than they need.
    let is_plain = dice.u32(0..100) < 30;
    let names = if is_plain { Namer::plain() } else { Namer::draw(&mut dice) };
    let zone =
        [Tz::UTC, Tz::UTC, Tz::Europe__Berlin, Tz::America__New_York, Tz::Asia__Kolkata][dice.usize(0..5)];
    let mut draw = Draw {
        dice,
        names,
        dialect,
        columns: Vec::new(),
        types: Vec::new(),
        writing: Writing::Zoned,
        zone,
        fails: false,
        is_plain,
        salt: seed,
    };
    if !is_plain || !matches!(dialect, Dialect::Postgres) {
        draw.writing = draw.some_writing();
    }
    draw.table()
}

impl Draw {
    fn chance(&mut self, percent: u32) -> bool {
        self.dice.u32(0..100) < percent
    }

    fn is_postgres(&self) -> bool {
        matches!(self.dialect, Dialect::Postgres)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.dice.usize(0..from.len())]
    }

    fn some_writing(&mut self) -> Writing {
        const BLANK: (&str, Option<&str>) = ("%Y-%m-%d %H:%M:%S", Some("YYYY-MM-DD HH:MM:SS"));
        const SECONDS: (&str, Option<&str>) = ("%Y-%m-%dT%H:%M:%SZ", Some("YYYY-MM-DDTHH:MM:SSZ"));
        const MILLIS: (&str, Option<&str>) = ("%Y-%m-%dT%H:%M:%S%.3fZ", Some("YYYY-MM-DDTHH:MM:SS.sssZ"));
        const OFFSET: (&str, Option<&str>) =
            ("%Y-%m-%dT%H:%M:%S%.6f+00:00", Some("YYYY-MM-DDTHH:MM:SS.ssssss+00:00"));
        const LOCAL: (&str, Option<&str>) = ("%Y-%m-%dT%H:%M:%S%.6f", Some("YYYY-MM-DDTHH:MM:SS.ssssss"));
        const GERMAN: (&str, Option<&str>) = ("%d.%m.%Y %H:%M:%S", None);
        let zone = self.zone;
        let utc = |(pattern, name)| Writing::Spelled(pattern, name, Tz::UTC);
        let local = |(pattern, name)| Writing::Spelled(pattern, name, zone);
        let dice = self.dice.u32(0..100);
        if self.is_postgres() {
            return match dice {
                0..58 => Writing::Zoned,
                58..72 => Writing::Naive(Tz::UTC),
                72..78 => Writing::Naive(zone),
                78..85 => Writing::Epoch(1),
                85..92 => Writing::Epoch(1_000),
                92..94 => Writing::Epoch(1_000_000),
                94..97 => utc(SECONDS),
                97 => local(BLANK),
                98 => utc(MILLIS),
                _ => local(GERMAN),
            };
        }
        match dice {
            0..22 => utc(BLANK),
            22..25 => local(BLANK),
            25..38 => utc(SECONDS),
            38..49 => utc(MILLIS),
            49..54 => utc(OFFSET),
            54..59 => local(LOCAL),
            59..77 => Writing::Epoch(1),
            77..93 => Writing::Epoch(1_000),
            93..99 => Writing::Epoch(1_000_000),
            _ => local(GERMAN),
        }
    }

    fn type_of(&mut self, writing: Writing) -> &'static str {
        match (writing, self.is_postgres()) {
            (Writing::Zoned, _) => self.pick(&["timestamptz", "timestamptz", "timestamptz(6)"]),
            (Writing::Naive(_), _) => self.pick(&["timestamp", "timestamp", "timestamp(6)"]),
            (Writing::Epoch(1), true) => self.pick(&["bigint", "bigint", "integer"]),
            (Writing::Epoch(_), true) => "bigint",
            (Writing::Spelled(..), true) => self.pick(&["text", "varchar(40)"]),
            (Writing::Epoch(_), false) => self.pick(&["INTEGER", "INTEGER", "BIGINT", "TIMESTAMP"]),
            (Writing::Spelled(..), false) => {
                self.pick(&["TEXT", "TEXT", "DATETIME", "TIMESTAMP", "VARCHAR(40)"])
            }
        }
    }

    /// A column, and what stands in it.
    fn add(
        &mut self,
        role: Role,
        pool: &str,
        sql_type: &str,
        fill: impl Fn(&mut Rng, &Moment) -> Cell + 'static,
    ) -> &mut Column {
        let column = Column {
            name: self.names.name(&mut self.dice, pool),
            sql_type: sql_type.to_owned(),
            not_null: false,
            default: None,
            check: None,
            comment: None,
            role,
            says: Says::Nothing,
            writing: None,
        };
        self.columns.push((column, Box::new(fill)));
        &mut self.columns.last_mut().expect("it was just added").0
    }

    fn clock(
        &mut self,
        role: Role,
        pool: &str,
        fill: impl Fn(&mut Rng, &Moment) -> Cell + 'static,
    ) -> &mut Column {
        // Most teams write all clocks alike.
        let writing = if self.is_plain || self.chance(92) { self.writing } else { self.some_writing() };
        let sql_type = self.type_of(writing);
        let column = self.add(role, pool, sql_type, fill);
        column.writing = Some(writing);
        column
    }

    fn text(&mut self) -> &'static str {
        if self.is_postgres() {
            self.pick(&["text", "text", "varchar(255)", "varchar(64)"])
        } else {
            self.pick(&["TEXT", "TEXT", "VARCHAR(255)"])
        }
    }

    fn int(&mut self) -> &'static str {
        if self.is_postgres() { self.pick(&["integer", "bigint", "smallint"]) } else { "INTEGER" }
    }

    fn flag(&mut self) -> &'static str {
        if self.is_postgres() { "boolean" } else { self.pick(&["BOOLEAN", "INTEGER", "TINYINT(1)"]) }
    }

    fn json(&mut self) -> &'static str {
        if self.is_postgres() { self.pick(&["jsonb", "json", "text"]) } else { self.pick(&["TEXT", "JSON"]) }
    }

    fn table(mut self) -> Table {
        let surrogate = self.chance(40);
        if surrogate {
            self.surrogate();
        }
        let keys = self.keys();
        let scopes = self.scopes();
        let state_first = self.chance(50);
        let shape = self.draw_shape();
        let mut habits = self.habits(shape);
        let mut failing = Failing::Unknown;
        if state_first {
            failing = self.state(shape);
        }
        let has_created = habits.expiry != Expiry::Column || self.chance(93);
        if has_created {
            self.created(shape);
        }
        self.expiry(habits);
        if !state_first {
            failing = self.state(shape);
        }
        self.extras(shape, habits);
        let shows_work = |draw: &Self| {
            let is = |role: Role| draw.columns.iter().any(|(column, _)| column.role == role);
            is(Role::Alive) || is(Role::Lease)
        };
        // Nobody could say of a table without any clock of a claim that its rows are claimed again: it is rare.
        if habits.reclaims && !shows_work(&self) && !self.chance(40) {
            habits.reclaims = false;
        }
        self.noise();
        let rows = self.rows(shape, habits);
        let truth =
            Truth { shape, ttl: habits.ttl, expiry: habits.expiry, reclaims: habits.reclaims, failing };
        self.assemble(surrogate, &keys, &scopes, rows, truth)
    }

    fn surrogate(&mut self) {
        if self.is_postgres() && self.chance(25) {
            let column = self.add(Role::Surrogate, "surrogate", "uuid", |dice, _| Cell::Text(uuid(dice)));
            column.not_null = true;
            column.default = Some("gen_random_uuid()".into());
            return;
        }
        let sql_type = match self.dialect {
            Dialect::Postgres => {
                self.pick(&["bigserial", "serial", "bigint GENERATED BY DEFAULT AS IDENTITY", "bigint"])
            }
            _ => "INTEGER",
        };
        let column =
            self.add(Role::Surrogate, "surrogate", sql_type, |_, row| Cell::Number(row.number as i64 + 1));
        column.not_null = true;
    }

    /// The key: one column, or some that are a key together.
    fn keys(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        if self.chance(10) {
            let sql_type = self.text();
            let parts = ["eu", "us", "api", "batch"];
            let column = self.add(Role::Key, "key_part", sql_type, move |_, row| {
                Cell::Text(parts[row.number % parts.len()].to_owned())
            });
            column.not_null = true;
            names.push(column.name.clone());
        }
        let kind = self.dice.u32(0..100);
        let is_postgres = self.is_postgres();
        let column = match kind {
            0..25 if is_postgres => {
                self.add(Role::Key, "key", "uuid", |dice, row| Cell::Text(numbered_uuid(dice, row)))
            }
            0..20 => {
                let sql_type = self.pick(&["TEXT", "CHAR(36)", "UUID"]);
                self.add(Role::Key, "key", sql_type, |dice, row| Cell::Text(numbered_uuid(dice, row)))
            }
            25..29 => {
                let sql_type = if is_postgres { "bytea" } else { "BLOB" };
                self.add(Role::Key, "key", sql_type, |dice, row| {
                    let mut bytes: Vec<u8> = (0..14).map(|_| dice.u8(..)).collect();
                    bytes.extend((row.number as u16).to_be_bytes());
                    Cell::Bytes(bytes)
                })
            }
            29..32 => {
                let sql_type = if is_postgres { "bigint" } else { "INTEGER" };
                self.add(Role::Key, "key", sql_type, |_, row| {
                    Cell::Number(7_000_000 + row.number as i64 * 13)
                })
            }
            _ => {
                let sql_type = self.text();
                let stem = self.pick(&["req-", "ord_", "", "client/", "K"]);
                self.add(Role::Key, "key", sql_type, move |dice, row| {
                    Cell::Text(format!("{stem}{:04}{:06x}", row.number, dice.u32(0..1 << 24)))
                })
            }
        };
        column.not_null = true;
        names.push(column.name.clone());
        if self.chance(50) {
            names.reverse();
        }
        names
    }

    fn scopes(&mut self) -> Vec<String> {
        let count = match self.dice.u32(0..100) {
            0..52 => 0,
            52..88 => 1,
            _ => 2,
        };
        let nullable = self.chance(10);
        (0..count)
            .map(|_| {
                let is_number = self.chance(50);
                let sql_type = if is_number {
                    if self.is_postgres() { "bigint" } else { "INTEGER" }
                } else {
                    self.text()
                };
                let column = self.add(Role::Scope, "scope", sql_type, move |dice, _| match dice.u32(0..10) {
                    0 if nullable => Cell::Null,
                    n if is_number => Cell::Number(i64::from(n) + 100),
                    n => Cell::Text(format!("t{n}")),
                });
                column.not_null = !nullable;
                column.name.clone()
            })
            .collect()
    }

    fn habits(&mut self, shape: StateShape) -> Habits {
        let is_presence = shape == StateShape::Presence;
        let expiry = match self.dice.u32(0..100) {
            0..45 => Expiry::Column,
            45..51 => Expiry::NullIsNever,
            51..54 => Expiry::NullIsTtl,
            54..58 if !is_presence => Expiry::AtTheEnd,
            58..96 => Expiry::Age,
            96..100 => Expiry::Never,
            _ => Expiry::Column,
        };
        Habits {
            ttl: self.pick(&[6 * HOUR, DAY, DAY, 3 * DAY, 7 * DAY, 30 * DAY, 90 * DAY]),
            expiry,
            restamps: expiry == Expiry::Column && self.chance(10),
            reclaims: !is_presence && self.chance(35),
            clears: self.chance(60),
        }
    }

    fn created(&mut self, shape: StateShape) {
        let sets_default = self.chance(50);
        // The row of an inbox is made when the message was handled.
        let is_end = shape == StateShape::Presence && self.chance(30);
        let pool = if is_end { "finished" } else { "created" };
        let column = self.clock(Role::Created, pool, |_, row| Cell::At(row.created));
        column.not_null = true;
        if sets_default {
            let writing = column.writing.expect("a clock");
            let name = column.sql_type.clone();
            if let Some(default) = now_default(writing, self.dialect, &name) {
                self.columns.last_mut().expect("just added").0.default = Some(default);
            }
        }
    }

    fn expiry(&mut self, habits: Habits) {
        if self.chance(12) {
            self.length(habits);
        }
        let ttl = habits.ttl;
        match habits.expiry {
            Expiry::Age | Expiry::Never => {}
            Expiry::Column => {
                let column = self.clock(Role::Expires, "expires", |_, row| Cell::At(row.expires));
                column.not_null = true;
            }
            // The row knows: `expires` is the far future where it has none.
            Expiry::NullIsNever | Expiry::NullIsTtl | Expiry::AtTheEnd => {
                self.clock(Role::Expires, "expires", move |_, row| match row.expires {
                    i64::MAX => Cell::Null,
                    at if at == row.created + ttl
                        && row.number % 3 == 0
                        && habits.expiry == Expiry::NullIsTtl =>
                    {
                        Cell::Null
                    }
                    at => Cell::At(at),
                });
            }
        }
    }

    /// A length of time: how long rows are kept, or were once meant to be.
    fn length(&mut self, habits: Habits) {
        let ttl = habits.ttl;
        let is_interval = self.is_postgres() && self.chance(30);
        let sql_type = if is_interval { "interval" } else { self.int_for_length() };
        let column = self.add(Role::Noise, "length", sql_type, move |_, _| {
            if is_interval { Cell::Text(format!("{ttl} seconds")) } else { Cell::Number(ttl) }
        });
        column.not_null = true;
    }

    fn int_for_length(&mut self) -> &'static str {
        if self.is_postgres() { self.pick(&["integer", "bigint"]) } else { "INTEGER" }
    }

    fn draw_shape(&mut self) -> StateShape {
        match self.dice.u32(0..100) {
            0..54 => StateShape::Values,
            54..74 => StateShape::AllNull,
            74..81 => StateShape::AnySet,
            81..99 => StateShape::Presence,
            _ => StateShape::Unsayable,
        }
    }

    /// The column or columns that say whether the work goes on.
    fn state(&mut self, shape: StateShape) -> Failing {
        let failing = if self.chance(70) { Failing::Delete } else { Failing::Unknown };
        match shape {
            StateShape::Values => match self.dice.u32(0..100) {
                0..52 => return self.worded_state(),
                52..68 => return self.coded_state(),
                68..90 => self.flags(),
                90..97 => self.steps(),
                _ => self.progress(),
            },
            StateShape::AllNull => self.nulls(),
            StateShape::AnySet => self.locks(),
            // No work on a row can fail.
            StateShape::Presence => return Failing::Unknown,
            StateShape::Unsayable => self.unsayable(),
        }
        failing
    }

    /// Text or an enum, with or without a CHECK.
    fn worded_state(&mut self) -> Failing {
        let upper = self.chance(25);
        let letters = self.chance(6);
        let mut values: Vec<(Cell, Meaning)> = Vec::new();
        let counts = [
            (Meaning::InProgress, "value_unfinished", self.pick(&[1, 1, 1, 2, 2, 3])),
            (Meaning::Completed, "value_done", self.pick(&[1, 1, 1, 1, 2])),
            (Meaning::Failed, "value_failed", self.pick(&[0, 1, 1, 1, 2])),
            (Meaning::Keep, "value_kept", if self.chance(6) { 1 } else { 0 }),
        ];
        for (meaning, pool, count) in counts {
            let mut left = count;
            while left > 0 {
                let word = self.names.value(&mut self.dice, pool, upper);
                let word = if letters { self.dice.char('A'..='Z').to_string() } else { word };
                if !values.iter().any(|(cell, _)| *cell == Cell::Text(word.clone())) {
                    values.push((Cell::Text(word), meaning));
                    left -= 1;
                }
            }
        }
        let words: Vec<String> = values.iter().map(|(cell, _)| cell.words()).collect();
        let begins = if self.chance(40) { Some(words[0].clone()) } else { None };
        let is_enum = self.is_postgres() && self.chance(22);
        let is_checked = !is_enum && self.chance(50);
        let sql_type = match (is_enum, letters) {
            (true, _) => {
                let name = format!("en_{}", self.dice.u32(..));
                self.types.push((name.clone(), words.clone()));
                quoted(&name)
            }
            (false, true) if self.is_postgres() => "char(1)".to_owned(),
            (false, _) => self.text().to_owned(),
        };
        let filled = values.clone();
        let column =
            self.add(Role::State, "state", &sql_type, move |dice, row| one_of(dice, &filled, row.life));
        column.not_null = true;
        column.default = begins.map(|word| format!("'{word}'"));
        if is_checked {
            let list: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            column.check = Some(format!("{} IN ({})", quoted(&column.name), list.join(", ")));
        }
        column.says = Says::Values(values.clone());
        let name = column.name.clone();
        self.failing_by(&values, name)
    }

    fn failing_by(&mut self, values: &[(Cell, Meaning)], column: String) -> Failing {
        match values.iter().find(|(_, meaning)| *meaning == Meaning::Failed) {
            Some((cell, _)) => Failing::Set(column, cell.clone()),
            None if self.chance(70) => Failing::Delete,
            None => Failing::Unknown,
        }
    }

    /// Numbers that stand for states.
    fn coded_state(&mut self) -> Failing {
        let codes: &[(i64, Meaning)] = match self.dice.u32(0..7) {
            0 => &[(0, Meaning::InProgress), (1, Meaning::Completed)],
            1 => &[(0, Meaning::InProgress), (1, Meaning::Completed), (2, Meaning::Failed)],
            2 => &[(1, Meaning::InProgress), (2, Meaning::Completed), (3, Meaning::Failed)],
            3 => &[
                (0, Meaning::InProgress),
                (1, Meaning::InProgress),
                (2, Meaning::Completed),
                (3, Meaning::Failed),
            ],
            4 => &[(10, Meaning::InProgress), (20, Meaning::Completed), (90, Meaning::Failed)],
            5 => &[(100, Meaning::InProgress), (200, Meaning::Completed), (500, Meaning::Failed)],
            _ => &[(1, Meaning::InProgress), (0, Meaning::Completed), (-1, Meaning::Failed)],
        };
        let values: Vec<(Cell, Meaning)> =
            codes.iter().map(|(code, meaning)| (Cell::Number(*code), *meaning)).collect();
        let sql_type = if self.is_postgres() { self.pick(&["smallint", "integer"]) } else { "INTEGER" };
        let is_checked = self.chance(30);
        let begins = self.chance(40);
        let filled = values.clone();
        let column =
            self.add(Role::State, "state_code", sql_type, move |dice, row| one_of(dice, &filled, row.life));
        column.not_null = true;
        column.default = begins.then(|| codes[0].0.to_string());
        if is_checked {
            let list: Vec<String> = codes.iter().map(|(code, _)| code.to_string()).collect();
            column.check = Some(format!("{} IN ({})", quoted(&column.name), list.join(", ")));
        }
        column.says = Says::Values(values.clone());
        let name = column.name.clone();
        self.failing_by(&values, name)
    }

    /// A flag that is true when the work is done, or while it goes on; perhaps one more for failures.
    fn flags(&mut self) {
        let is_done = self.chance(60);
        let sql_type = self.flag();
        let pool = if is_done { "done_flag" } else { "busy_flag" };
        let column =
            self.add(Role::State, pool, sql_type, move |_, row| Cell::Flag(row.is_unfinished() != is_done));
        column.not_null = true;
        column.says = Says::Values(vec![
            (Cell::Flag(!is_done), Meaning::InProgress),
            (Cell::Flag(is_done), Meaning::Completed),
        ]);
        let sets_default = self.chance(60);
        let begins = Cell::Flag(!is_done);
        if sets_default {
            let is_postgres = self.is_postgres();
            let column = &mut self.columns.last_mut().expect("just added").0;
            let Cell::Flag(begins) = begins else { unreachable!("it is a flag") };
            column.default =
                Some(if is_postgres { begins.to_string() } else { i64::from(begins).to_string() });
        }
        if self.chance(15) {
            let sql_type = self.flag();
            let column =
                self.add(Role::Noise, "failed_flag", sql_type, |_, row| Cell::Flag(row.life == Life::Failed));
            column.not_null = true;
            self.fails = true;
        }
    }

    /// The step that the work has come to; the last one is the end.
    fn steps(&mut self) {
        if self.chance(40) {
            let last = self.dice.i64(2..6);
            let sql_type = if self.is_postgres() { "smallint" } else { "INTEGER" };
            let column = self.add(Role::State, "step", sql_type, move |dice, row| {
                Cell::Number(if row.is_unfinished() { dice.i64(1..last) } else { last })
            });
            column.not_null = true;
            let steps = (1..last).map(|step| (Cell::Number(step), Meaning::InProgress));
            column.says = Says::Values(steps.chain([(Cell::Number(last), Meaning::Completed)]).collect());
            return;
        }
        let mut words: Vec<String> = vec![self.names.value(&mut self.dice, "value_unfinished", false)];
        for _ in 0..self.pick(&[1, 2, 3]) {
            let word = self.names.value(&mut self.dice, "value_step", false);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let last = self.names.value(&mut self.dice, "value_done", false);
        let (ends, steps) = (Cell::Text(last.clone()), words.clone());
        let sql_type = self.text();
        let column = self.add(Role::State, "step", sql_type, move |dice, row| match row.is_unfinished() {
            true => Cell::Text(steps[dice.usize(0..steps.len())].clone()),
            false => ends.clone(),
        });
        column.not_null = true;
        let steps = words.into_iter().map(|word| (Cell::Text(word), Meaning::InProgress));
        column.says = Says::Values(steps.chain([(Cell::Text(last), Meaning::Completed)]).collect());
    }

    /// How far the work has come, in steps of a quarter.
    fn progress(&mut self) {
        let sql_type = if self.is_postgres() { "integer" } else { "INTEGER" };
        let column = self.add(Role::State, "progress", sql_type, |dice, row| {
            Cell::Number(if row.is_unfinished() { dice.i64(0..4) * 25 } else { 100 })
        });
        column.not_null = true;
        let parts = (0..4).map(|part| (Cell::Number(part * 25), Meaning::InProgress));
        column.says = Says::Values(parts.chain([(Cell::Number(100), Meaning::Completed)]).collect());
    }

    /// Columns that are NULL until the work is done.
    fn nulls(&mut self) {
        match self.dice.u32(0..100) {
            0..32 => self.response_status(true),
            32..58 => self.finished(true),
            58..66 => self.body(true, false),
            66..71 => self.snapshot(true),
            71..76 => self.reference(true),
            76..88 => {
                self.response_status(true);
                self.body(true, true);
            }
            88..94 => {
                self.body(true, true);
                self.failure(true);
            }
            _ => {
                self.finished(true);
                self.failure(true);
            }
        }
    }

    /// Columns that are set while somebody works on the row.
    fn locks(&mut self) {
        match self.dice.u32(0..7) {
            0 => self.claimed(true, true),
            1 => self.owner(true, true),
            2 => self.lease(true, true),
            3 => self.alive(true, true),
            4 => self.token(true, true),
            5 => {
                self.claimed(true, true);
                self.owner(true, true);
            }
            _ => {
                self.owner(true, true);
                self.lease(true, true);
            }
        }
    }

    /// The answer is what it was at first until the work is done.
    fn unsayable(&mut self) {
        let empty = self.pick(&["{}", "", "null"]);
        let sql_type = if self.is_postgres() { "text" } else { "TEXT" };
        let column = self.add(Role::ResponseBody, "response_body", sql_type, move |dice, row| {
            Cell::Text(if row.is_unfinished() { empty.to_owned() } else { answer(dice) })
        });
        column.not_null = true;
        column.default = Some(format!("'{empty}'"));
        column.says = Says::Unsayably;
    }

    fn response_status(&mut self, tells: bool) {
        let sql_type = self.int();
        let never_null = !tells && self.chance(20);
        let column = self.add(Role::ResponseStatus, "response_status", sql_type, move |dice, row| {
            let codes = [200, 200, 201, 204, 402, 409];
            match row.life {
                _ if never_null => Cell::Number(200),
                Life::AtWork | Life::Stuck => Cell::Null,
                Life::Failed => Cell::Number([500, 502, 422][dice.usize(0..3)]),
                Life::Done | Life::Kept => Cell::Number(codes[dice.usize(0..codes.len())]),
            }
        });
        column.not_null = never_null;
        if tells {
            column.says = Says::NullUnfinished;
        }
    }

    fn body(&mut self, tells: bool, with_others: bool) {
        let sql_type = match self.dice.u32(0..10) {
            0..3 => {
                if self.is_postgres() {
                    "bytea"
                } else {
                    "BLOB"
                }
            }
            _ => self.json(),
        };
        let is_bytes = matches!(sql_type, "bytea" | "BLOB");
        // Answers without a body, and failures without a result, where something else says that it is done.
        let may_lack = !tells || with_others;
        let column = self.add(Role::ResponseBody, "response_body", sql_type, move |dice, row| {
            let lacks = row.life == Life::Failed || !tells && dice.u32(0..8) == 0;
            if row.is_unfinished() || may_lack && lacks {
                return Cell::Null;
            }
            let text = answer(dice);
            if is_bytes { Cell::Bytes(text.into_bytes()) } else { Cell::Text(text) }
        });
        if tells {
            column.says = Says::NullUnfinished;
        }
    }

    fn snapshot(&mut self, tells: bool) {
        let sql_type = self.json();
        let column = self.add(Role::Snapshot, "snapshot", sql_type, |dice, row| match row.is_unfinished() {
            true => Cell::Null,
            false => Cell::Text(format!(
                "{{\"status\": {}, \"headers\": {{}}, \"body\": {}}}",
                [200, 201, 402][dice.usize(0..3)],
                answer(dice)
            )),
        });
        if tells {
            column.says = Says::NullUnfinished;
        }
    }

    fn reference(&mut self, tells: bool) {
        let is_number = self.chance(60);
        let sql_type =
            if is_number { if self.is_postgres() { "bigint" } else { "INTEGER" } } else { self.text() };
        let column = self.add(Role::Reference, "reference", sql_type, move |dice, row| {
            match row.is_unfinished() || !tells && row.life == Life::Failed {
                true => Cell::Null,
                false if is_number => Cell::Number(dice.i64(1_000..9_999_999)),
                false => Cell::Text(format!("ref_{:08x}", dice.u32(..))),
            }
        });
        if tells {
            column.says = Says::NullUnfinished;
        }
    }

    fn finished(&mut self, tells: bool) {
        let column = self.clock(Role::Finished, "finished", |_, row| match row.is_unfinished() {
            true => Cell::Null,
            false => Cell::At(row.finished),
        });
        if tells {
            column.says = Says::NullUnfinished;
        }
    }

    fn failure(&mut self, tells: bool) {
        let sql_type = self.text();
        let column = self.add(Role::Failure, "failure", sql_type, |dice, row| match row.life {
            Life::Failed => {
                Cell::Text(["timeout", "card declined", "connection reset"][dice.usize(0..3)].to_owned())
            }
            _ => Cell::Null,
        });
        if tells {
            column.says = Says::NullUnfinished;
        }
    }

    fn claimed(&mut self, tells: bool, clears: bool) {
        let column =
            self.clock(Role::Claimed, "claimed", move |_, row| match clears && !row.is_unfinished() {
                true => Cell::Null,
                false => Cell::At(row.claimed),
            });
        if tells {
            column.says = Says::SetUnfinished;
        }
    }

    fn owner(&mut self, tells: bool, clears: bool) {
        let sql_type = self.text();
        let column =
            self.add(Role::Owner, "owner", sql_type, move |dice, row| match clears && !row.is_unfinished() {
                true => Cell::Null,
                false => Cell::Text(format!("worker-{}", dice.u32(1..5))),
            });
        if tells {
            column.says = Says::SetUnfinished;
        }
    }

    fn token(&mut self, tells: bool, clears: bool) {
        let sql_type = if self.is_postgres() { "uuid" } else { "TEXT" };
        let column =
            self.add(Role::Token, "token", sql_type, move |dice, row| match clears && !row.is_unfinished() {
                true => Cell::Null,
                false => Cell::Text(uuid(dice)),
            });
        if tells {
            column.says = Says::SetUnfinished;
        }
    }

    fn lease(&mut self, tells: bool, clears: bool) {
        let column = self.clock(Role::Lease, "lease", move |_, row| match clears && !row.is_unfinished() {
            true => Cell::Null,
            false => Cell::At(row.lease),
        });
        if tells {
            column.says = Says::SetUnfinished;
        }
    }

    fn alive(&mut self, tells: bool, clears: bool) {
        let column = self.clock(Role::Alive, "alive", move |_, row| match clears && !row.is_unfinished() {
            true => Cell::Null,
            false => Cell::At(row.alive),
        });
        if tells {
            column.says = Says::SetUnfinished;
        }
    }

    /// Columns beside those that decide.
    fn extras(&mut self, shape: StateShape, habits: Habits) {
        let has = |draw: &Self, role: Role| draw.columns.iter().any(|(column, _)| column.role == role);
        if shape != StateShape::Presence && shape != StateShape::AnySet {
            if self.chance(18) {
                self.claimed(false, habits.clears);
            }
            if self.chance(18) {
                self.lease(false, habits.clears);
            }
            if self.chance(12) {
                self.alive(false, habits.clears);
            }
            if self.chance(20) {
                self.owner(false, habits.clears);
            }
            if self.chance(8) {
                self.token(false, habits.clears);
            }
        }
        if self.chance(35) {
            let sql_type = self.text();
            let column = self.add(Role::RequestHash, "request_hash", sql_type, |dice, _| {
                Cell::Text(format!("{:016x}{:016x}", dice.u64(..), dice.u64(..)))
            });
            column.not_null = true;
        }
        let answers = self.chance(60);
        if answers && !has(self, Role::ResponseStatus) && self.chance(75) {
            self.response_status(false);
        }
        if answers && self.chance(25) {
            let sql_type = self.json();
            self.add(Role::ResponseHeaders, "response_headers", sql_type, |_, row| {
                match row.is_unfinished() {
                    true => Cell::Null,
                    false => Cell::Text("{\"content-type\": \"application/json\"}".into()),
                }
            });
        }
        if answers && !has(self, Role::ResponseBody) && !has(self, Role::Snapshot) {
            if self.chance(80) { self.body(false, true) } else { self.snapshot(false) }
        }
        if !has(self, Role::Reference) && self.chance(15) {
            self.reference(false);
        }
        if !has(self, Role::Finished) && self.chance(20) {
            self.finished(false);
        }
        if !has(self, Role::Failure) && self.chance(18) {
            self.failure(false);
        }
        if self.chance(20) {
            let sql_type = self.int();
            let column = self.add(Role::Attempt, "attempt", sql_type, |dice, row| {
                Cell::Number(if row.is_unfinished() { dice.i64(0..4) } else { dice.i64(1..5) })
            });
            column.not_null = true;
            if self.chance(50) {
                self.columns.last_mut().expect("just added").0.default = Some("0".into());
            }
        }
    }

    /// Columns that nothing depends on.
    fn noise(&mut self) {
        let most = if self.is_plain { 5 } else { 11 };
        let count = self.pick(&[0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 6][..most]);
        for _ in 0..count {
            match self.dice.u32(0..100) {
                0..36 => self.noise_text(),
                36..58 => self.noise_number(),
                58..72 => self.noise_flag(),
                72..84 => self.touched(),
                _ => self.noise_time(),
            }
        }
    }

    fn noise_text(&mut self) {
        let sql_type = self.text();
        let (not_null, words) = (self.chance(50), self.pick(&[2_u32, 5, 1_000]));
        let column = self.add(Role::Noise, "noise_text", sql_type, move |dice, _| match dice.u32(0..4) {
            0 if !not_null => Cell::Null,
            _ => Cell::Text(format!("n{}", dice.u32(0..words))),
        });
        column.not_null = not_null;
    }

    fn noise_number(&mut self) {
        let sql_type = match self.dialect {
            Dialect::Postgres => self.pick(&["integer", "bigint", "numeric(12,2)", "smallint"]),
            _ => self.pick(&["INTEGER", "REAL", "NUMERIC"]),
        };
        let most = self.pick(&[1_i64, 3, 10, 20_000]);
        let starts = self.chance(40);
        let column =
            self.add(Role::Noise, "noise_number", sql_type, move |dice, _| Cell::Number(dice.i64(0..=most)));
        column.not_null = true;
        column.default = starts.then(|| "0".to_owned());
    }

    fn noise_flag(&mut self) {
        let sql_type = self.flag();
        let kind = self.dice.u32(0..4);
        let column = self.add(Role::Noise, "noise_flag", sql_type, move |dice, row| {
            Cell::Flag(match kind {
                0 => false,
                1 => dice.bool(),
                // What old rows have, and what finished rows have: neither is the state.
                2 => row.created < -5 * DAY,
                _ => !row.is_unfinished() && row.number % 4 != 0,
            })
        });
        column.not_null = true;
    }

    /// When the row was changed last.
    fn touched(&mut self) {
        let column = self.clock(Role::Noise, "noise_touch", |_, row| {
            Cell::At(if row.is_unfinished() { row.claimed } else { row.finished })
        });
        column.not_null = true;
    }

    /// A time of something else.
    fn noise_time(&mut self) {
        let kind = self.dice.u32(0..5);
        self.clock(Role::Noise, "noise_time", move |dice, row| match kind {
            // A session's end, soon after the beginning.
            0 => Cell::At(row.created + 30 * MINUTE),
            // A contract's end.
            1 => Cell::At(dice.i64(10 * DAY..900 * DAY)),
            // The last request for a row, of whatever age.
            2 => Cell::At(dice.i64(row.created..=-1)),
            3 => match dice.bool() {
                true => Cell::Null,
                false => Cell::At(dice.i64(-400 * DAY..400 * DAY)),
            },
            _ => Cell::At(row.created - dice.i64(0..40 * DAY)),
        });
    }

    fn rows(&mut self, shape: StateShape, habits: Habits) -> Vec<Row> {
        let has = |role: Role| self.columns.iter().any(|(column, _)| column.role == role);
        let (alive, lease) = (has(Role::Alive), has(Role::Lease));
        let states: Vec<Meaning> = self
            .columns
            .iter()
            .filter_map(|(column, _)| match &column.says {
                Says::Values(values) => Some(values.iter().map(|(_, meaning)| *meaning)),
                _ => None,
            })
            .flatten()
            .collect();
        // A failure can be told by its value, by its text beside others, or by an answer.
        let may_fail = states.contains(&Meaning::Failed) || shape == StateShape::AllNull || self.fails;
        let may_be_kept = states.contains(&Meaning::Keep);
        let may_be_unfinished = shape != StateShape::Presence;
        let can_expire = habits.expiry != Expiry::Never;
        // Old rows that are at work: where a clock shows it, or where rows are claimed again.
        let may_be_old = alive || lease || habits.reclaims;
        let mut lives: Vec<(Life, bool)> = Vec::new();
        let mut some = |count: usize, life: Life, expired: bool, when: bool| {
            lives.extend((0..count).filter(|_| when).map(|_| (life, expired && can_expire)));
        };
        some(4, Life::AtWork, false, may_be_unfinished);
        some(3, Life::AtWork, true, may_be_unfinished && may_be_old);
        some(3, Life::Stuck, false, may_be_unfinished);
        some(3, Life::Stuck, true, may_be_unfinished);
        some(6, Life::Done, false, true);
        some(8, Life::Done, true, true);
        some(2, Life::Failed, false, may_fail);
        some(3, Life::Failed, true, may_fail);
        some(2, Life::Kept, true, may_be_kept);
        self.dice.shuffle(&mut lives);
        let seen = self.dice.u32(0..100);
        let few = self.dice.usize(1..4);
        let mut rows = Vec::new();
        for (number, (life, expired)) in lives.into_iter().enumerate() {
            let (moment, expired) = self.moment(number, life, expired, habits);
            let seen = match seen {
                0..18 => false,
                18..30 => number < few,
                30..36 => !life.is_unfinished(),
                36..39 => life.is_unfinished(),
                39..42 => moment.created > -DAY,
                _ => true,
            };
            let dice = &mut self.dice;
            let cells = self.columns.iter().map(|(_, fill)| fill(dice, &moment)).collect();
            rows.push(Row { life, expired, seen, cells });
        }
        rows
    }

    /// A life with its moments, and whether it is past its expiry.
    fn moment(&mut self, number: usize, life: Life, old: bool, habits: Habits) -> (Moment, bool) {
        let Habits { ttl, expiry, restamps, reclaims, .. } = habits;
        let dice = &mut self.dice;
        let age = match life {
            _ if old => ttl + 2 * HOUR + dice.i64(0..20 * DAY),
            Life::AtWork => dice.i64(12..200),
            Life::Stuck => dice.i64(2 * HOUR..ttl - 20 * MINUTE),
            Life::Done | Life::Failed | Life::Kept => {
                let most = (ttl - 20 * MINUTE) as f64;
                (60.0 * (most / 60.0).powf(dice.f64())) as i64
            }
        };
        let created = -age;
        let taken = match life {
            Life::AtWork if age > HOUR && reclaims => -dice.i64(12..200),
            // For hours, with heartbeats.
            Life::AtWork => created,
            Life::Stuck => (created + dice.i64(0..60)).min(-2 * HOUR),
            _ => created + dice.i64(0..5),
        };
        let finished = (taken + dice.i64(1..50)).min(-5);
        let (beat, lease) = match life {
            Life::AtWork => (taken.max(-dice.i64(1..50)), dice.i64(10 * MINUTE..HOUR)),
            Life::Stuck => {
                let beat = (taken + dice.i64(0..HOUR)).min(-2 * HOUR);
                (beat, beat + dice.i64(5 * MINUTE..30 * MINUTE))
            }
            _ => (finished, taken + dice.i64(5 * MINUTE..30 * MINUTE)),
        };
        let never = number % 4 == 1;
        let expires = match expiry {
            Expiry::NullIsNever if never => i64::MAX,
            Expiry::AtTheEnd if life.is_unfinished() => i64::MAX,
            Expiry::AtTheEnd => finished + ttl,
            Expiry::Never => i64::MAX,
            _ if restamps => taken + ttl,
            _ => created + ttl,
        };
        let moment = Moment { number, life, created, claimed: taken, alive: beat, lease, finished, expires };
        (moment, expires < -HOUR)
    }

    fn assemble(
        mut self,
        surrogate: bool,
        keys: &[String],
        scopes: &[String],
        rows: Vec<Row>,
        truth: Truth,
    ) -> Table {
        let nullable =
            |name: &String| self.columns.iter().any(|(column, _)| column.name == *name && !column.not_null);
        let has_null = scopes.iter().any(nullable);
        let mut unique: Vec<String> = keys.to_vec();
        if self.chance(40) {
            unique.splice(0..0, scopes.iter().cloned());
        } else {
            unique.extend(scopes.iter().cloned());
        }
        let (mut primary, mut uniques) = (Vec::new(), Vec::new());
        if surrogate {
            primary = vec![self.columns[0].0.name.clone()];
            // An index that is not unique serves some.
            if self.chance(96) {
                uniques.push(unique);
            }
        } else if has_null {
            uniques.push(unique);
        } else {
            primary = unique;
        }
        let is_expires = |role: Role| matches!(role, Role::Expires | Role::Created);
        let candidates: Vec<String> = self
            .columns
            .iter()
            .filter(|(column, _)| is_expires(column.role))
            .map(|(column, _)| column.name.clone())
            .collect();
        let indexes = candidates.last().filter(|_| self.dice.bool()).cloned().into_iter().collect();
        let name = self.names.name(&mut self.dice, "table");
        // Columns stand where they were thought of, not in the order of their roles.
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        let fixed = usize::from(surrogate);
        if self.chance(50) {
            self.dice.shuffle(&mut order[fixed..]);
        }
        let columns: Vec<Column> = order.iter().map(|index| self.columns[*index].0.clone()).collect();
        let rows = rows
            .into_iter()
            .map(|row| Row { cells: order.iter().map(|index| row.cells[*index].clone()).collect(), ..row })
            .collect();
        let mut table = Table {
            name,
            dialect: self.dialect,
            columns,
            primary,
            uniques,
            indexes,
            types: self.types,
            rows,
            truth,
            child: None,
            salt: self.salt,
        };
        table.child = child(&table);
        table
    }
}

/// Another table that points at some of the rows; of its own dice, so that the seeds draw what they drew before.
fn child(table: &Table) -> Option<Child> {
    let mut dice = Rng::with_seed(table.salt ^ 0x0c41_1d00);
    if dice.u32(0..100) >= 15 {
        return None;
    }
    let key = if table.primary.is_empty() { table.uniques.first()? } else { &table.primary };
    let columns = key
        .iter()
        .map(|name| {
            let sql_type = match table.column(name).expect("a column of it").sql_type.as_str() {
                "serial" => "integer",
                sql_type if sql_type.starts_with("big") => "bigint",
                sql_type => sql_type,
            };
            (name.clone(), sql_type.to_owned())
        })
        .collect();
    let on_delete = ["NO ACTION", "RESTRICT", "CASCADE", "SET NULL"][dice.usize(0..4)];
    // A part that is NULL points at nothing.
    let has_null = |row: &Row| {
        let cells = table.columns.iter().zip(&row.cells);
        cells.into_iter().any(|(column, cell)| key.contains(&column.name) && *cell == Cell::Null)
    };
    let rows = table.rows.iter().filter(|row| !has_null(row) && dice.u32(0..3) == 0);
    let rows = rows.map(|row| table.label(row)).collect();
    let may_go = matches!(on_delete, "CASCADE" | "SET NULL") && dice.bool();
    Some(Child { columns, on_delete, rows, may_go })
}

impl Cell {
    /// The word of a state.
    pub fn words(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            other => unreachable!("{other:?} is no state"),
        }
    }
}

/// One of the values that stand for a life.
fn one_of(dice: &mut Rng, values: &[(Cell, Meaning)], life: Life) -> Cell {
    let wanted = match life {
        Life::AtWork | Life::Stuck => Meaning::InProgress,
        Life::Done => Meaning::Completed,
        Life::Failed => Meaning::Failed,
        Life::Kept => Meaning::Keep,
    };
    let fitting: Vec<&Cell> =
        values.iter().filter(|(_, meaning)| *meaning == wanted).map(|(cell, _)| cell).collect();
    fitting[dice.usize(0..fitting.len())].clone()
}

fn answer(dice: &mut Rng) -> String {
    format!("{{\"order\": {}}}", dice.u32(1..100_000))
}

fn uuid(dice: &mut Rng) -> String {
    let (high, low) = (dice.u64(..), dice.u64(..));
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0xfff,
        low & 0xffff_ffff_ffff
    )
}

/// A UUID that no other row of the table has.
fn numbered_uuid(dice: &mut Rng, row: &Moment) -> String {
    let uuid = uuid(dice);
    format!("{:08x}{}", row.number, &uuid[8..])
}

/// What a table has as the default of a clock, where its database can say it.
fn now_default(writing: Writing, dialect: Dialect, sql_type: &str) -> Option<String> {
    let text = match (writing, dialect) {
        (Writing::Zoned, _) => "now()",
        (Writing::Naive(Tz::UTC), _) => "timezone('utc', now())",
        (Writing::Epoch(1), Dialect::Postgres) if sql_type == "bigint" => {
            "(extract(epoch from now()))::bigint"
        }
        (Writing::Epoch(1), Dialect::Sqlite) => "(unixepoch())",
        (Writing::Spelled("%Y-%m-%d %H:%M:%S", _, Tz::UTC), Dialect::Sqlite) => "CURRENT_TIMESTAMP",
        (Writing::Spelled("%Y-%m-%dT%H:%M:%SZ", _, _), Dialect::Sqlite) => {
            "(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))"
        }
        _ => return None,
    };
    Some(text.to_owned())
}
