//! The parameters of a PostgreSQL connection: which are obeyed, which are refused, and which are of no
//! consequence here.

use crate::dialect::url::{Environment, InvalidUrl};

/// One parameter as it was given.
#[derive(Clone)]
pub(in crate::dialect) struct Given {
    pub(in crate::dialect) name: String,
    pub(in crate::dialect) value: String,
    pub(in crate::dialect) origin: Origin,
    /// From the part of a URL before its parameters, which a parameter of that meaning replaces.
    pub(in crate::dialect) replaceable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum Origin {
    Text,
    Service,
    Variable(&'static str),
}

impl Given {
    pub(in crate::dialect) fn new(name: impl Into<String>, value: String) -> Self {
        Self { name: name.into(), value, origin: Origin::Text, replaceable: false }
    }

    /// What to call it in an error.
    pub(in crate::dialect) fn label(&self, known: &str) -> String {
        match self.origin {
            Origin::Text => format!("the parameter {known}"),
            Origin::Service => format!("the parameter {known} of the service"),
            Origin::Variable(variable) => format!("${variable}"),
        }
    }
}

#[derive(Clone, Copy)]
enum ParameterMeaning {
    /// [`super::PostgresUrl`] does what it says.
    Obeyed,
    /// Its values ask for nothing that would matter here.
    Harmless,
    /// These values ask for what is done anyway. Every other one asks for what can't be done.
    Only(&'static [&'static str]),
    /// It asks for security that can't be had here.
    Refused,
}
use ParameterMeaning::{Harmless, Obeyed, Only, Refused};

/// libpq's parameters with their variables, and what other programs write beside them.
const PARAMETERS: &[(&str, Option<&str>, ParameterMeaning)] = &[
    ("host", Some("PGHOST"), Obeyed),
    ("hostaddr", Some("PGHOSTADDR"), Obeyed),
    ("port", Some("PGPORT"), Obeyed),
    ("dbname", Some("PGDATABASE"), Obeyed),
    ("user", Some("PGUSER"), Obeyed),
    ("service", Some("PGSERVICE"), Obeyed),
    ("servicefile", None, Obeyed),
    ("password", Some("PGPASSWORD"), Obeyed),
    ("passfile", Some("PGPASSFILE"), Obeyed),
    ("sslmode", Some("PGSSLMODE"), Obeyed),
    ("ssl", None, Obeyed),
    ("sslrootcert", Some("PGSSLROOTCERT"), Obeyed),
    ("sslcert", Some("PGSSLCERT"), Obeyed),
    ("sslkey", Some("PGSSLKEY"), Obeyed),
    ("application_name", Some("PGAPPNAME"), Obeyed),
    ("fallback_application_name", None, Obeyed),
    ("options", Some("PGOPTIONS"), Obeyed),
    ("connect_timeout", Some("PGCONNECT_TIMEOUT"), Obeyed),
    ("target_session_attrs", Some("PGTARGETSESSIONATTRS"), Obeyed),
    ("schema", None, Obeyed),
    ("currentSchema", None, Obeyed),
    ("search_path", None, Obeyed),
    ("gssencmode", Some("PGGSSENCMODE"), Only(&["disable", "prefer"])),
    ("channel_binding", Some("PGCHANNELBINDING"), Only(&["disable", "prefer"])),
    ("sslcertmode", Some("PGSSLCERTMODE"), Only(&["allow"])),
    ("sslnegotiation", Some("PGSSLNEGOTIATION"), Only(&["postgres"])),
    ("sslsni", Some("PGSSLSNI"), Only(&["1"])),
    ("sslcompression", Some("PGSSLCOMPRESSION"), Only(&["0", "1"])),
    // Older versions than 1.2 and newer ones than 1.3 are never spoken.
    ("ssl_min_protocol_version", Some("PGSSLMINPROTOCOLVERSION"), Only(&["TLSv1", "TLSv1.1", "TLSv1.2"])),
    ("ssl_max_protocol_version", Some("PGSSLMAXPROTOCOLVERSION"), Only(&["TLSv1.3"])),
    ("min_protocol_version", Some("PGMINPROTOCOLVERSION"), Only(&["3.0"])),
    ("max_protocol_version", Some("PGMAXPROTOCOLVERSION"), Only(&["3.0", "3.2", "latest"])),
    ("load_balance_hosts", Some("PGLOADBALANCEHOSTS"), Only(&["disable"])),
    ("gssdelegation", Some("PGGSSDELEGATION"), Only(&["0"])),
    ("client_encoding", None, Only(&["UTF8", "utf8", "UTF-8", "utf-8", "auto"])),
    ("replication", None, Only(&["false", "off", "no", "0"])),
    ("sslaccept", None, Only(&["accept_invalid_certs"])),
    ("require_auth", Some("PGREQUIREAUTH"), Refused),
    ("requirepeer", Some("PGREQUIREPEER"), Refused),
    ("requiressl", Some("PGREQUIRESSL"), Only(&["0"])),
    ("sslcrl", Some("PGSSLCRL"), Refused),
    ("sslcrldir", Some("PGSSLCRLDIR"), Refused),
    ("sslpassword", None, Refused),
    ("sslidentity", None, Refused),
    ("sslinline", None, Refused),
    ("sslfactory", None, Refused),
    ("scram_client_key", None, Refused),
    ("scram_server_key", None, Refused),
    ("oauth_issuer", None, Refused),
    ("oauth_client_id", None, Refused),
    ("oauth_client_secret", None, Refused),
    ("oauth_scope", None, Refused),
    ("krbsrvname", Some("PGKRBSRVNAME"), Harmless),
    ("gsslib", Some("PGGSSLIB"), Harmless),
    ("keepalives", None, Harmless),
    ("keepalives_idle", None, Harmless),
    ("keepalives_interval", None, Harmless),
    ("keepalives_count", None, Harmless),
    ("tcp_user_timeout", None, Harmless),
    ("pgbouncer", None, Harmless),
    ("connection_limit", None, Harmless),
    ("pool_timeout", None, Harmless),
    ("socket_timeout", None, Harmless),
    ("pool", None, Harmless),
    ("pool_size", None, Harmless),
    ("pool_mode", None, Harmless),
    ("max_pool_size", None, Harmless),
    ("min_pool_size", None, Harmless),
    ("pool_max_conns", None, Harmless),
    ("pool_min_conns", None, Harmless),
    ("pool_max_conn_lifetime", None, Harmless),
    ("pool_max_conn_lifetime_jitter", None, Harmless),
    ("pool_max_conn_idle_time", None, Harmless),
    ("pool_health_check_period", None, Harmless),
    ("checkout_timeout", None, Harmless),
    ("idle_timeout", None, Harmless),
    ("max_lifetime", None, Harmless),
    ("reaping_frequency", None, Harmless),
    ("statement_cache_size", None, Harmless),
    ("statement_cache_capacity", None, Harmless),
    ("statement-cache-capacity", None, Harmless),
    ("statement_cache_mode", None, Harmless),
    ("description_cache_capacity", None, Harmless),
    ("default_query_exec_mode", None, Harmless),
    ("prepared_statements", None, Harmless),
    ("prepared_statement_cache_size", None, Harmless),
    ("prepareThreshold", None, Harmless),
    ("preparedStatementCacheQueries", None, Harmless),
    ("preparedStatementCacheSizeMiB", None, Harmless),
    ("prefer_simple_protocol", None, Harmless),
    ("binary_parameters", None, Harmless),
    ("disable_prepared_binary_result", None, Harmless),
    ("binaryTransfer", None, Harmless),
    ("reWriteBatchedInserts", None, Harmless),
    ("stringtype", None, Harmless),
    ("defaultRowFetchSize", None, Harmless),
    ("tcpKeepAlive", None, Harmless),
    ("loginTimeout", None, Harmless),
    ("connectTimeout", None, Harmless),
    ("socketTimeout", None, Harmless),
    ("cancelSignalTimeout", None, Harmless),
    ("uselibpqcompat", None, Harmless),
    ("encoding", None, Harmless),
    ("timezone", None, Harmless),
    ("TimeZone", None, Harmless),
];

/// Variables that say where something of the connection is written, and not what it is.
#[cfg(feature = "cli")]
const FILES: [&str; 3] = ["PGSERVICEFILE", "PGSYSCONFDIR", "PGPASSFILE"];

/// Variables that name a database by themselves.
#[cfg(feature = "cli")]
const NAMING: [&str; 6] = ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE"];

/// Other spellings of the same, of JDBC and of the driver's.
fn canonical(name: &str) -> &str {
    match name {
        "ssl-mode" => "sslmode",
        "ssl-root-cert" | "ssl-ca" => "sslrootcert",
        "ssl-cert" => "sslcert",
        "ssl-key" => "sslkey",
        "ApplicationName" => "application_name",
        other => other,
    }
}

fn known(name: &str) -> Option<(&'static str, ParameterMeaning)> {
    let name = canonical(name);
    PARAMETERS.iter().find(|(known, ..)| *known == name).map(|(known, _, meaning)| (*known, *meaning))
}

/// The known name that was probably meant.
pub(crate) fn nearest<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    let written = written.to_ascii_lowercase();
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(&written, &known.to_ascii_lowercase()), *known))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

/// The variables of a connection that are set and not empty; with `naming`, those alone that name a database.
#[cfg(feature = "cli")]
pub(crate) fn set_variables(
    environment: &Environment<'_>,
    naming: bool,
) -> Result<Vec<&'static str>, InvalidUrl> {
    let mut set = Vec::new();
    let all = PARAMETERS.iter().filter_map(|(_, variable, _)| *variable).chain(FILES);
    for variable in all.filter(|variable| !naming || NAMING.contains(variable)) {
        if environment.text(variable)?.is_some_and(|value| !value.trim().is_empty())
            && !set.contains(&variable)
        {
            set.push(variable);
        }
    }
    Ok(set)
}

/// The parameters that count, each once, by their known names.
#[derive(Default)]
pub(in crate::dialect) struct Parameters {
    found: Vec<(&'static str, Given)>,
    pub(in crate::dialect) ignored: Vec<String>,
}

impl Parameters {
    /// Takes what a text or a service says. What was said before stays.
    pub(in crate::dialect) fn add(&mut self, given: Vec<Given>) -> Result<(), InvalidUrl> {
        let before = self.found.len();
        let mut after_password = false;
        for mut one in given {
            if let Some(setting) = one.name.strip_prefix("options[").and_then(|rest| rest.strip_suffix(']')) {
                one.value = format!("-c {setting}={}", one.value.replace('\\', "\\\\").replace(' ', "\\ "));
                one.name = "options".to_owned();
                if let Some((_, options)) = self.found.iter_mut().find(|(name, _)| *name == "options") {
                    options.value = format!("{} {}", options.value, one.value);
                    continue;
                }
            }
            let Some((name, meaning)) = known(&one.name) else {
                return Err(unknown(&one, after_password));
            };
            after_password |= (name.contains("password") || name.contains("secret")) && !one.replaceable;
            if matches!(meaning, Harmless) {
                self.ignored.push(name.to_owned());
                continue;
            }
            match self.found.iter_mut().position(|(known, _)| *known == name) {
                None => self.found.push((name, one)),
                // The service says less than the text.
                Some(at) if at < before => {}
                Some(at) if self.found[at].1.replaceable => self.found[at] = (name, one),
                Some(at) if self.found[at].1.value == one.value => {}
                Some(_) => {
                    return Err(InvalidUrl::new(format!(
                        "{} is there twice, with two values",
                        one.label(name)
                    ))
                    .with_hint("leave one of them out"));
                }
            }
        }
        Ok(())
    }

    /// Takes the variables of what nothing else has said.
    pub(in crate::dialect) fn add_variables(
        &mut self,
        environment: &Environment<'_>,
    ) -> Result<(), InvalidUrl> {
        for (name, variable, meaning) in PARAMETERS {
            let Some(variable) = *variable else { continue };
            if matches!(meaning, Harmless) || self.found.iter().any(|(found, _)| found == name) {
                continue;
            }
            let Some(value) = environment.text(variable)? else { continue };
            // These are read by the driver as well, which takes an empty value for one.
            let must_not_be_empty =
                ["PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"].contains(&variable);
            if value.trim().is_empty() {
                if must_not_be_empty {
                    return Err(
                        InvalidUrl::new(format!("${variable} is set, and empty")).with_hint("unset it")
                    );
                }
                continue;
            }
            let origin = Origin::Variable(variable);
            self.found.push((name, Given { name: (*name).to_owned(), value, origin, replaceable: false }));
        }
        Ok(())
    }

    /// Refuses what can't be done.
    pub(in crate::dialect) fn check(&mut self) -> Result<(), InvalidUrl> {
        for (name, given) in &self.found {
            let label = given.label(name);
            match known(name).map(|(_, meaning)| meaning) {
                // What another program wants of a variable is no news here.
                Some(Only(values)) if values.contains(&given.value.as_str()) => {
                    self.ignored.extend((given.origin == Origin::Text).then(|| (*name).to_owned()));
                }
                Some(Only(values)) => {
                    return Err(InvalidUrl::new(format!("{label} asks for what idemctl can't do"))
                        .with_hint(format!("leave it out, or set it to {}", values.join(" or "))));
                }
                Some(Refused) => {
                    return Err(InvalidUrl::new(format!("{label} asks for what idemctl can't do"))
                        .with_hint(
                            "leave it out; sslmode=verify-full checks the server's certificate and name",
                        ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(in crate::dialect) fn get(&self, name: &str) -> Option<&Given> {
        self.found.iter().find(|(found, _)| *found == name).map(|(_, given)| given)
    }

    /// Its value, which must not be empty.
    pub(in crate::dialect) fn value(&self, name: &str) -> Result<Option<&Given>, InvalidUrl> {
        match self.get(name) {
            Some(given) if given.value.trim().is_empty() => {
                Err(InvalidUrl::new(format!("{} is empty", given.label(name)))
                    .with_hint("give it a value, or leave it out"))
            }
            given => Ok(given),
        }
    }
}

/// What was written is shown only where it can't be a part of a password.
fn unknown(given: &Given, after_password: bool) -> InvalidUrl {
    let names: Vec<&str> = PARAMETERS.iter().map(|(name, ..)| *name).collect();
    let is_plain = !given.name.is_empty()
        && given.name.len() <= 40
        && given.name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let error = match (is_plain && !after_password, given.origin) {
        (true, Origin::Service) => {
            InvalidUrl::new(format!("the service has an unknown parameter {}", given.name))
        }
        (true, _) => InvalidUrl::new(format!("there is no parameter {}", given.name)),
        (false, _) => InvalidUrl::new("there is a parameter that is not known"),
    };
    match nearest(&given.name, &names) {
        Some(known) => error.with_hint(format!("did you mean {known}?")),
        None if after_password => error.with_hint("percent-encode & in a password as %26, and quote spaces"),
        None => error.with_hint(
            "leave it out, or use one of libpq's: https://www.postgresql.org/docs/current/libpq-connect.html",
        ),
    }
}
