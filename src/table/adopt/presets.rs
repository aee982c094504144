//! Tables of well-known frameworks and libraries, recognized by their columns, not by their names. What is said
//! here of a column is the reason that it is printed with; a column that is not listed is explained by the
//! general rules, or asked about.

use super::facts::CatalogueTable;
use super::questions::ValueMeaning;
use super::roles::Role;

/// What is known of one column.
pub(crate) struct Part {
    /// Its name in lower case, without marks between its words.
    name: &'static str,
    pub(crate) roles: &'static [Role],
    pub(crate) values: &'static [(&'static str, ValueMeaning)],
    /// Each application has values of its own beside these.
    pub(crate) more: bool,
}

/// A table that many have.
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    parts: &'static [Part],
    /// How many of the parts must be there, counted from the first.
    required: usize,
}

const fn part(name: &'static str, roles: &'static [Role]) -> Part {
    Part { name, roles, values: &[], more: false }
}

const fn state(name: &'static str, values: &'static [(&'static str, ValueMeaning)]) -> Part {
    Part { name, roles: &[Role::State], values, more: false }
}

const fn steps(name: &'static str, values: &'static [(&'static str, ValueMeaning)]) -> Part {
    Part { more: true, ..state(name, values) }
}

const FLAG: &[(&str, ValueMeaning)] =
    &[("false", ValueMeaning::InProgress), ("true", ValueMeaning::Completed)];
const NOTHING: &[Role] = &[Role::Irrelevant];

const PRESETS: &[Preset] = &[
    Preset {
        name: "an outbox of NServiceBus",
        required: 5,
        parts: &[
            part("messageid", &[Role::Key]),
            state("dispatched", FLAG),
            part("dispatchedat", &[Role::Created]),
            part("persistenceversion", NOTHING),
            part("operations", NOTHING),
        ],
    },
    Preset {
        name: "an inbox of MassTransit",
        required: 8,
        parts: &[
            part("messageid", &[Role::Key]),
            part("consumerid", &[Role::Scope]),
            part("delivered", &[Role::NullMeans]),
            part("received", &[Role::Created]),
            part("consumed", NOTHING),
            part("lockid", NOTHING),
            part("receivecount", &[Role::Attempt]),
            part("expirationtime", NOTHING),
            part("lastsequencenumber", NOTHING),
            part("rowversion", NOTHING),
        ],
    },
    Preset {
        name: "an outbox of MassTransit",
        required: 5,
        parts: &[
            part("outboxid", &[Role::Key]),
            part("delivered", &[Role::NullMeans]),
            part("created", &[Role::Created]),
            part("lockid", NOTHING),
            part("lastsequencenumber", NOTHING),
            part("rowversion", NOTHING),
        ],
    },
    Preset {
        name: "an inbox of Wolverine",
        required: 7,
        parts: &[
            part("id", &[Role::Key]),
            state(
                "status",
                &[
                    ("Incoming", ValueMeaning::InProgress),
                    ("Scheduled", ValueMeaning::InProgress),
                    ("Handled", ValueMeaning::Completed),
                ],
            ),
            part("ownerid", &[Role::Owner]),
            part("executiontime", NOTHING),
            part("attempts", &[Role::Attempt]),
            part("messagetype", NOTHING),
            part("keepuntil", &[Role::Expires]),
            part("body", NOTHING),
            part("receivedat", NOTHING),
        ],
    },
    Preset {
        name: "a table of messages of CAP",
        required: 6,
        parts: &[
            part("id", &[Role::Key]),
            state(
                "statusname",
                &[
                    ("Scheduled", ValueMeaning::InProgress),
                    ("Queued", ValueMeaning::InProgress),
                    ("Delayed", ValueMeaning::InProgress),
                    ("Processing", ValueMeaning::InProgress),
                    ("Succeeded", ValueMeaning::Completed),
                    ("Failed", ValueMeaning::Failed),
                ],
            ),
            part("retries", &[Role::Attempt]),
            part("added", &[Role::Created]),
            part("expiresat", &[Role::Expires]),
            part("content", NOTHING),
            part("version", NOTHING),
            part("name", NOTHING),
            part("group", NOTHING),
        ],
    },
    Preset {
        name: "an inbox of Brighter",
        required: 5,
        parts: &[
            part("commandid", &[Role::Key]),
            part("contextkey", &[Role::Scope]),
            part("commandbody", NOTHING),
            part("timestamp", &[Role::Created]),
            part("commandtype", NOTHING),
        ],
    },
    Preset {
        name: "an outbox of Brighter",
        required: 6,
        parts: &[
            part("messageid", &[Role::Key]),
            part("dispatched", &[Role::NullMeans]),
            part("timestamp", &[Role::Created]),
            part("headerbag", NOTHING),
            part("topic", NOTHING),
            part("messagetype", NOTHING),
            part("body", NOTHING),
            part("correlationid", NOTHING),
            part("replyto", NOTHING),
            part("contenttype", NOTHING),
            part("partitionkey", NOTHING),
        ],
    },
    Preset {
        name: "the event publications of Spring Modulith",
        required: 6,
        parts: &[
            part("id", &[Role::Key]),
            part("completiondate", &[Role::NullMeans]),
            part("publicationdate", &[Role::Created]),
            part("listenerid", NOTHING),
            part("eventtype", NOTHING),
            part("serializedevent", NOTHING),
        ],
    },
    Preset {
        name: "an outbox of Rebus",
        required: 7,
        parts: &[
            part("id", &[Role::Key]),
            state("sent", FLAG),
            part("correlationid", NOTHING),
            part("messageid", NOTHING),
            part("sourcequeue", NOTHING),
            part("destinationaddress", NOTHING),
            part("headers", NOTHING),
            part("body", NOTHING),
        ],
    },
    Preset {
        name: "an outbox of SlimMessageBus",
        required: 6,
        parts: &[
            part("id", &[Role::Key]),
            state("deliverycomplete", FLAG),
            part("lockexpireson", &[Role::Lease]),
            part("lockinstanceid", &[Role::Owner]),
            part("deliveryattempt", &[Role::Attempt]),
            part("deliveryaborted", NOTHING),
            part("timestamp", &[Role::Created]),
            part("busname", NOTHING),
            part("messagetype", NOTHING),
            part("messagepayload", NOTHING),
            part("headers", NOTHING),
            part("path", NOTHING),
        ],
    },
    Preset {
        name: "keys with recovery points, as in the article on Stripe-like keys in PostgreSQL",
        required: 7,
        parts: &[
            part("idempotencykey", &[Role::Key]),
            steps(
                "recoverypoint",
                &[("started", ValueMeaning::InProgress), ("finished", ValueMeaning::Completed)],
            ),
            part("lastrunat", &[Role::Alive]),
            part("lockedat", NOTHING),
            part("requestparams", NOTHING),
            part("responsecode", &[Role::ResponseStatus]),
            part("responsebody", &[Role::ResponseBody]),
            part("requestmethod", NOTHING),
            part("requestpath", NOTHING),
        ],
    },
];

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Preset {
    /// What is known of a column.
    pub(crate) fn part(&self, column: &str) -> Option<&'static Part> {
        let name = plain(column);
        self.parts.iter().find(|part| part.name == name)
    }
}

/// The framework that this table's columns are of.
pub(crate) fn of(table: &CatalogueTable) -> Option<&'static Preset> {
    let names: Vec<String> = table.columns.iter().map(|column| plain(&column.name)).collect();
    let is_there = |preset: &&Preset| {
        let fits = |part: &Part| {
            let place = names.iter().position(|name| name == part.name);
            place
                .and_then(|place| table.columns.get(place))
                .is_some_and(|column| part.roles.iter().all(|role| role.fits(column).is_ok()))
        };
        // A column of another type than the framework's is another table.
        preset.parts[..preset.required].iter().all(fits)
            && preset.parts.iter().all(|part| !names.contains(&part.name.to_owned()) || fits(part))
    };
    PRESETS.iter().find(is_there)
}
