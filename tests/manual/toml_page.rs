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
        "`$IDEMCTL_DATABASE_URL`, or the first line of the file that `$IDEMCTL_DATABASE_URL_FILE` names",
        "`$DATABASE_URL`",
        "the first line of `$CREDENTIALS_DIRECTORY/database-url`, which is where systemd puts a credential \
         with that name, unless it is empty",
        "`database.url`",
        "`database.url_file`",
        "`database.local = true`: the SQLite file of 9.",
        "the variables of PostgreSQL's own programs, where one of $PGHOST, $PGHOSTADDR, $PGPORT, $PGDATABASE, \
         $PGUSER and $PGSERVICE is set",
        "an SQLite file in the user's data folder: `$XDG_DATA_HOME/idemctl/idemctl.db`, which is \
         `~/.local/share/idemctl/idemctl.db` when $XDG_DATA_HOME is unset. Only where no variable of PostgreSQL's \
         is set. idemctl migrate makes it; every other command exits 2 when it is not there. The janitor never \
         takes it, and idemctl run only with `--local` or database.local.",
    ]
    .iter()
    .enumerate()
    {
        page.step(&format!("{}.", number + 1), place);
    }

    page.text(
        "A URL's variable that is set and empty is an error: something should have filled it, and the next place may \
         name another database. So is a variable $IDEMCTL_... that is misspelt.",
    );

    page.section("DATABASE URLS");
    page.text(
        "`postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE` (also postgresql://), or libpq's \
         `host=HOST dbname=DATABASE password='...'`. Special characters of a URL's user, password and names are \
         percent-encoded: @ is %40, : is %3A, / is %2F, ? is %3F, # is %23, % is %25. What the URL leaves out comes \
         from the service that `service=` or $PGSERVICE names (~/.pg_service.conf, $PGSERVICEFILE, \
         $PGSYSCONFDIR/pg_service.conf), then from the PG... variables, and the password from ~/.pgpass or \
         $PGPASSFILE, which nobody else may be able to read.",
    );
    page.text(
        "These parameters are obeyed: host, hostaddr, port, dbname, user, password, passfile, service, sslmode, \
         sslrootcert, sslcert, sslkey, application_name, options, connect_timeout and target_session_attrs (any, \
         read-write or primary). `schema=NAME` names one schema exactly; `search_path=` and `currentSchema=` list \
         schemas as SQL does. ssl=true is sslmode=require. sslmode=require with an sslrootcert is verify-ca. A \
         parameter that names a place or asks for security and can't be obeyed is refused (exit 2), so is one that \
         is not known. Those of connection pools and drivers, such as pgbouncer and connection_limit, are ignored \
         with a notice.",
    );
    page.text(
        "`sqlite:PATH` or `sqlite://PATH`. What follows the first ? are parameters: `mode=ro` opens the file for \
         reading alone, rw never makes it, rwc makes it when it is not there; cache, immutable and vfs are SQLite's. \
         A ? in the name of a file is written %3F, and a % is %25.",
    );

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
         one. All settings but name and key are optional; a setting that is missing takes away the commands that need \
         it, and those alone: they are refused (exit 2) with the setting's name. The mapping is compared with the \
         real table before any row is touched. A name, key, scope, locator, guard or state that does not fit is an error \
         that names the setting and the column (exit 8). A clock, a rule or a shown column that does not fit is left out with \
         a notice, and the commands that need it are refused in the same words: without its lease purge, reap-stuck, fail \
         and forget, for example. A verdict that hangs on it is then unknown. No variable of the environment sets a setting.",
    );
    page.text(
        "idemctl changes no such table's columns. `idemctl migrate` makes only its own tables beside it: without \
         them there is no audit, and janitors can't elect a leader. Keys are claimed by the application alone; \
         idemctl run refuses.",
    );
    let mut part = "";
    for setting in table_reference() {
        let of = setting.key.split_once('.').map_or("", |(of, _)| of);
        if of != part || setting.key == "name" {
            part = of;
            page.subsection(&if of.is_empty() { "[[table]]".to_owned() } else { format!("[table.{of}]") });
        }
        let name = setting.key.strip_prefix(of).unwrap_or(setting.key).trim_start_matches('.');
        page.item(
            setting.key,
            &format!("{} Type: {}. Example: `{name} = {}`.", setting.meaning, setting.kind, setting.example),
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
             is .fff or .sss with as many letters as there are digits, or [.s] where it is left out when it is 0, or \
             has as many digits as it needs. Z, +00:00, +00, +0000, UTC (the last two also behind a space) or nothing \
             follows. The time is UTC, or, where the text ends in no zone, that of zone: \
             { text = \"sqlite\", zone = \"Asia/Tokyo\" }. Texts with another offset can't be compared, and are \
             refused.",
        ),
    ] {
        page.item(encoding, meaning);
    }
    page.text("What is written by whom:");
    for (writer, spelling) in [
        ("Java's Instant.toString(), Go's RFC3339Nano", "iso8601, which is YYYY-MM-DDTHH:MM:SS[.s]Z"),
        ("JavaScript's toISOString()", "YYYY-MM-DDTHH:MM:SS.sssZ"),
        ("Python's isoformat() of a time in UTC", "YYYY-MM-DDTHH:MM:SS[.s]+00:00"),
        ("Python's isoformat() of a time without a zone", "YYYY-MM-DDTHH:MM:SS[.s]"),
        (".NET's format o in UTC", "YYYY-MM-DDTHH:MM:SS.sssssssZ, or with +00:00 of a DateTimeOffset"),
        ("Ruby's Time#to_s in UTC", "YYYY-MM-DD HH:MM:SS UTC"),
        ("PostgreSQL's timestamptz as text in UTC", "YYYY-MM-DD HH:MM:SS[.s]+00"),
        ("SQLite's datetime()", "sqlite, which is YYYY-MM-DD HH:MM:SS"),
    ] {
        page.item(writer, spelling);
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
