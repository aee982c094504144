//! idemctl.toml(5), from the settings themselves.

use idemctl::{settings_reference, table_reference};

use crate::roff::Page;

pub fn page(version: &str) -> String {
    let mut page = Page::new("idemctl.toml", 5, version, "configuration of idemctl");

    page.section("DESCRIPTION");
    page.text(
        "`idemctl` needs no configuration file. A file keeps what would otherwise be repeated with every call. \
         It is written in TOML. Every key is optional.",
    );
    page.text(
        "An unknown key, or a value that does not fit, is an error (exit 2; idemctl run exits 125). The message \
         names the file, the key and, where one is close, the key that was meant. `idemctl config show` prints \
         every setting, its value and where it came from. Passwords are left out.",
    );

    page.section("FILES");
    page.text("One file is read: the first of these. They are not merged.");
    page.step("1.", "The path given with `--config`. It must exist.");
    page.step("2.", "The path in `$IDEMCTL_CONFIG`. It must exist.");
    page.step(
        "3.",
        "`$XDG_CONFIG_HOME/idemctl/idemctl.toml`, which is `~/.config/idemctl/idemctl.toml` when \
         $XDG_CONFIG_HOME is unset.",
    );
    page.step("4.", "`/etc/idemctl/idemctl.toml`");
    page.text("The current folder is never searched.");

    page.section("LAYERS");
    page.text("A later layer wins over an earlier one, key by key:");
    page.step("1.", "the defaults below");
    page.step("2.", "the file");
    page.step(
        "3.",
        "the environment: `purge.grace` is `$IDEMCTL_PURGE_GRACE`, and so on. The value is written without \
         TOML's quotes.",
    );
    page.step("4.", "the flags of the command");
    page.text("The database URL has an order of its own. The first of these that is there counts:");
    for (number, place) in [
        "`--database-url`",
        "`--database-url-file`: the first line of that file",
        "`$IDEMCTL_DATABASE_URL`, unless it is empty",
        "`$DATABASE_URL`, unless it is empty",
        "the first line of `$CREDENTIALS_DIRECTORY/database-url`, which is where systemd puts a credential \
         with that name, unless it is empty",
        "`database.url`",
        "`database.url_file`",
        "an SQLite file in the user's data folder: `$XDG_DATA_HOME/idemctl/idemctl.db`, which is \
         `~/.local/share/idemctl/idemctl.db` when $XDG_DATA_HOME is unset. Only idemctl migrate and idemctl run \
         create it. Every other command exits 2 when it is not there.",
    ]
    .iter()
    .enumerate()
    {
        page.step(&format!("{}.", number + 1), place);
    }

    page.section("DURATIONS");
    page.text(
        "A duration is a string of numbers with units, added up: \"5m\", \"1h 30m\", \"7days\". The units are \
         ns, us, ms, s, m (also min), h (also hr), d (also day), w (also week), M (also month: 30.44 days) and y \
         (also year: 365.25 days); their plurals work too. A number without a unit is an error.",
    );

    page.section("SETTINGS");
    let mut section = "";
    let settings = settings_reference();
    for setting in &settings {
        let (of, _) = setting.key.split_once('.').expect("every key has a section");
        if of != section {
            section = of;
            page.subsection(&format!("[{section}]"));
        }
        let default = match &setting.default {
            Some(default) => format!("`{default}`"),
            None => "unset".to_owned(),
        };
        let variable = match &setting.variable {
            Some(name) => format!("`${name}`"),
            None => "none".to_owned(),
        };
        page.item(
            &setting.key,
            &format!(
                "{} Type: {}. Default: {default}. Environment: {variable}.",
                setting.meaning, setting.kind
            ),
        );
    }

    page.section("ADOPTED TABLES");
    page.text(
        "A table that a team already has is described by `[[table]]`: which column plays which role, and how its \
         states and clocks are written. With several tables, each has its own `[[table]]`, and `--table` picks \
         one. All knobs but name and key are optional; a knob that is missing takes away the commands that need \
         it, and those alone: they are refused (exit 2) with the knob's name. The mapping is compared with the \
         real table before any row is touched, and what does not fit is an error that names the knob and the \
         column (exit 8). No variable of the environment sets a knob.",
    );
    page.text(
        "idemctl changes no such table's columns. `idemctl migrate` makes only its own tables beside it: without \
         them there is no audit, and janitors can't elect a leader. Keys are claimed by the application alone; \
         idemctl run refuses.",
    );
    let mut part = "";
    for knob in table_reference() {
        let of = knob.key.split_once('.').map_or("", |(of, _)| of);
        if of != part || knob.key == "name" {
            part = of;
            page.subsection(&if of.is_empty() { "[[table]]".to_owned() } else { format!("[table.{of}]") });
        }
        let name = knob.key.strip_prefix(of).unwrap_or(knob.key).trim_start_matches('.');
        page.item(
            knob.key,
            &format!("{} Type: {}. Example: `{name} = {}`.", knob.meaning, knob.kind, knob.example),
        );
    }

    page.section("CLOCKS");
    page.text(
        "A clock is `{ column = \"COLUMN\", as = ENCODING }`. Comparisons use a value that idemctl computes in that \
         encoding, so that the session's time zone means nothing and the column's index serves. A clock at or \
         before 2000-01-01, or one that is not written as declared, was set by nobody: such a row is left alone, \
         and reported.",
    );
    for (encoding, meaning) in [
        ("\"timestamptz\"", "PostgreSQL's timestamp with time zone."),
        (
            "{ naive = \"Europe/Berlin\" }",
            "PostgreSQL's timestamp without time zone: what a clock on the wall shows in this zone. A time that \
             exists twice means the later moment.",
        ),
        (
            "\"epoch_s\", \"epoch_ms\", \"epoch_us\"",
            "A number: seconds, milliseconds or microseconds since 1970.",
        ),
        (
            "{ text = \"YYYY-MM-DD HH:MM:SS\" }",
            "Text, spelled so in every row that is touched. T or a space stands between date and time; a fraction \
             is .fff or .sss with as many letters as there are digits; Z, +00:00 or nothing follows. iso8601 is \
             with T, any fraction or none, and Z; sqlite is what its datetime() writes. The time is UTC, or, where \
             the text ends in no zone, that of zone: { text = \"sqlite\", zone = \"Asia/Tokyo\" }.",
        ),
    ] {
        page.item(encoding, meaning);
    }

    page.section("EXAMPLE");
    page.code(
        "[database]\nurl_file = \"/run/secrets/idemctl-url\"\nlock_timeout = \"500ms\"\n\n\
         [display]\ntime_zone = \"Europe/Berlin\"\n\n\
         [reap]\nolder_than = \"10m\"\nretry = \"block\"\n\n\
         [purge]\ngrace = \"2h\"\nmax_rows_per_second = 5000\nmax_duration = \"4m\"",
    );
    page.text("A table of PostgreSQL that a team already has:");
    page.code(include_str!("../../docs/examples/article.sql").trim_end());
    page.text("and its description:");
    page.code(
        include_str!("../../docs/examples/article.toml").split_once('\n').expect("a comment").1.trim_end(),
    );

    page.section("SEE ALSO");
    page.text("`idemctl`(1), `idemctl-config-show`(1), `idemctl-protocol`(7)");
    page.finish()
}
