//! idemctl-janitor(8)

use idemctl::commands::METRICS;
use idemctl::settings_reference;

use crate::roff::Page;

/// The page.
pub fn page(version: &str) -> String {
    let mut page =
        Page::new("idemctl-janitor", 8, version, "reaps stuck keys and purges expired ones, on schedules");
    page.section("SYNOPSIS");
    page.text("`idemctl janitor` [`--listen` ADDR] [`--config` PATH]");
    page.text("`idemctl janitor --once` | `--check`");
    page.section("DESCRIPTION");
    page.text(
        "The janitor keeps the table small and its clients unblocked. It runs two passes, each on its own \
         schedule. Reap: keys in progress without a running lease whose worker had no heartbeat become \
         failed. Purge: keys that expired go, in small batches that keep out of the application's way. They \
         are the passes of idemctl-reap-stuck(1) and idemctl-purge(1), with the settings of \
         idemctl.toml(5). After a purge that came to its end, entries of the audit that are older than \
         `audit.retention` go as well.",
    );
    page.text(
        "It works on a database that somebody named: by `--database-url-file`, $IDEMCTL_DATABASE_URL, the \
         credential `database-url` of systemd, or the configuration. It never takes the default SQLite file \
         by itself. Every table of the configuration has its passes; without any it is the table that \
         idemctl-migrate(1) makes. On a table that a team already has a pass for which the mapping lacks a \
         setting never runs, and the log says which.",
    );
    page.section("SCHEDULES");
    page.text(
        "`purge.schedule` and `reap.schedule` are expressions as crontab(5) has them, in `janitor.time_zone`: \
         minute, hour, day of month, month, day of week. 0 and 7 are Sunday. Where both day fields are \
         restricted, either suffices. Six fields begin with seconds. `@hourly`, `@daily`, `@weekly`, `@monthly` \
         and `@yearly` are short for such expressions, and `@every 30s` starts at fixed distances.",
    );
    page.text(
        "Where the clock is changed, a schedule at fixed hours and minutes neither runs twice nor is lost, and \
         one whose hour or minute begins with `*` just goes on. A start is put off by up to a tenth of the \
         interval and at most 30 seconds, so that a fleet does not strike at once. A pass that overruns its \
         next start is not overlapped by itself: that start is left out. Where both passes are due, reap \
         comes first.",
    );
    page.text(
        "A pass is overdue that was due and has not complete since: one that a stop, a crash or its time \
         limit cut short goes on after a restart, whatever its schedule. A pass that is overdue when the janitor \
         starts begins within seconds and ends after 30 seconds, so that a janitor that is started again and again \
         still cleans; what it leaves goes on right after it. A pass that failed is made again after at most 5 \
         minutes. Any other ends after `purge.max_duration`, 4 \
         minutes unless set; what it leaves is the next one's.",
    );
    page.section("LEADERSHIP");
    page.text(
        "Any number of janitors may run on one database. For each table and pass the one that holds its lease \
         works, and the others wait. A lease is a row of `idemctl_lease`, valid for `janitor.lease` on the \
         database's clock and renewed every third of it. A leader that can't renew stops before its lease runs \
         out; one that ends gives it back at once; one that dies is replaced when it runs out. If two should work \
         at the same time all the same, every result is right: each changes a row only as it finds it.",
    );
    page.section("WHAT HOLDS IT BACK");
    page.item(
        "idemctl pause",
        "Stops every janitor's passes on this database until `idemctl resume`, or for as long as `--for` says. A \
         pass at work ends after the batch at hand, within about a second.",
    );
    page.item(
        "purge.max_lag",
        "The purge waits while a standby is further behind than this. Once that can't be read any more, it waits, \
         too, and says so.",
    );
    page.section("OUTAGES");
    page.text(
        "The janitor waits for a database that is down, restarts, hangs, fails over or is read-only, for ever: from \
         `janitor.reconnect_min` to `janitor.reconnect_max` between two tries. The same error is logged once \
         in five minutes. It does not matter which of the two is started first. Where several hosts are \
         listed, each new connection goes to the one that takes writes.",
    );
    page.section("SIGNALS");
    page.item(
        "SIGTERM, SIGINT",
        "Ends after the batch at hand and gives the leases back: exit 0. A batch that outlasts \
         `janitor.shutdown_timeout` is rolled back. A second signal ends it at once: exit 130.",
    );
    page.item(
        "SIGHUP",
        "Reads the configuration anew. A bad one is reported and the old one stays. Passes at work end after their \
         batch and go on under the new one. `janitor.listen` takes a restart.",
    );
    page.section("SYSTEMD");
    page.text(
        "The janitor is a service of `Type=notify`. It is ready once its configuration is valid, with or without \
         the database. Its status line says what happened last and what comes next. Its heartbeats to the \
         watchdog come from the loop that starts the passes: a database that hangs does not stop them, a loop \
         that does not turn does. A unit for it and a timer for `janitor --once` come with idemctl.",
    );
    page.section("HTTP");
    page.text(
        "With `--listen` ADDR, or `janitor.listen`, it answers to whoever can connect. A request has 5 seconds to \
         arrive, a connection ends with its answer, and there are at most 64 of them, or a quarter of the files that \
         the process may open; the oldest makes room for a new one:",
    );
    page.item("/livez", "200 while it lives.");
    page.item(
        "/readyz",
        "200 while the database is connected, takes writes and has what the configuration names; else 503 with \
         the reason. A pass that fails for what the database is or lacks takes this away until one goes well.",
    );
    page.item("/status", "All that it knows of itself, as JSON.");
    page.item("/metrics", "Metrics for Prometheus, in its text format.");
    page.section("METRICS");
    for metric in METRICS {
        let labels = match metric.labels {
            [] => String::new(),
            labels => format!("{{{}}}", labels.join(", ")),
        };
        page.item(&format!("{}{labels}", metric.name), &format!("{} ({})", metric.meaning, metric.kind));
    }
    page.text(
        "The numbers of rows are counted once a minute, up to 100,000, and estimated above. `process_` metrics tell \
         of memory, processor time and file descriptors.",
    );
    page.section("SETTINGS");
    page.text("Those of the janitor alone; idemctl.toml(5) has all.");
    for setting in settings_reference() {
        if setting.key.starts_with("janitor.") || setting.key == "audit.retention" {
            let default = setting.default.unwrap_or_else(|| "unset".to_owned());
            page.item(&format!("{} = {default}", setting.key), setting.meaning);
        }
    }
    page.section("EXIT STATUS");
    page.item("0", "It was told to end; `--once`: done, also where another janitor leads or it is paused; `--check`: fit.");
    page.item("2", "Usage or configuration. systemd does not start it again.");
    page.item("6", "`--once`: done in part, a backlog is left.");
    page.item("7, 8", "`--once` and `--check`: the database can't be reached, or is not ready.");
    page.section("SEE ALSO");
    page.text("idemctl(1), idemctl-purge(1), idemctl-reap-stuck(1), idemctl-pause(1), idemctl.toml(5)");
    page.finish()
}
