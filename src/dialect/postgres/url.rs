//! Where a PostgreSQL database is: read as libpq reads it.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::parameters::{Given, Origin, Parameters};
use super::{search_path, service};
use crate::dialect::url::{Environment, InvalidUrl};

/// A PostgreSQL database, and how to connect to it. [`fmt::Display`] and [`fmt::Debug`] leave the password out.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    hosts: Vec<Host>,
    user: Option<String>,
    password: Option<String>,
    database: Option<String>,
    passfile: Option<PathBuf>,
    tls: Tls,
    application_name: Option<String>,
    /// Server options beside those of `$PGOPTIONS`.
    options: Option<String>,
    search_path: Option<SearchPath>,
    connect_timeout: Option<Duration>,
    must_write: bool,
    ignored: Vec<String>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    /// Its name, or the folder of its socket.
    pub(crate) name: String,
    /// Where to connect to instead of looking the name up.
    pub(crate) address: Option<String>,
    pub(crate) port: u16,
}

impl Host {
    pub(crate) fn is_socket(&self) -> bool {
        self.address.is_none() && self.name.starts_with('/')
    }
}

/// How a connection is encrypted, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TlsMode {
    Disable,
    /// Where the server offers it.
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Tls {
    mode: TlsMode,
    root: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SearchPath {
    schemas: Vec<String>,
    /// The server options name it already.
    is_in_options: bool,
}

impl PostgresUrl {
    /// The parameters of the text first, then those of its service, then the variables.
    pub(in crate::dialect) fn resolve(
        given: Vec<Given>,
        environment: &Environment<'_>,
    ) -> Result<Self, InvalidUrl> {
        let mut parameters = Parameters::default();
        parameters.add(given)?;
        let service = match parameters.value("service")? {
            Some(given) => Some(given.value.clone()),
            None => environment.text("PGSERVICE")?.filter(|name| !name.trim().is_empty()),
        };
        if let Some(name) = service {
            let file = parameters.value("servicefile")?.map(|given| PathBuf::from(&given.value));
            let mut given = service::load(&name, file, environment)?;
            given.iter_mut().for_each(|one| one.origin = Origin::Service);
            parameters.add(given)?;
        }
        parameters.add_variables(environment)?;
        parameters.check()?;

        let hosts = hosts(&parameters)?;
        let search_path = schemas(&parameters, environment)?;
        let text = |name: &str| Ok::<_, InvalidUrl>(parameters.value(name)?.map(|given| given.value.clone()));
        let path = |name: &str| Ok::<_, InvalidUrl>(text(name)?.map(PathBuf::from));
        let database = text("dbname")?;
        if database.as_deref().is_some_and(|name| name.contains("://")) {
            return Err(InvalidUrl::new("the database's name is a URL")
                .with_hint("give the URL with --database-url or $IDEMCTL_DATABASE_URL"));
        }
        let or_empty = |name: &str| parameters.get(name).map(|given| given.value.clone());
        let options = parameters.get("options").filter(|given| given.origin != Origin::Variable("PGOPTIONS"));
        Ok(Self {
            tls: tls(&parameters, &hosts, environment)?,
            hosts,
            user: text("user")?,
            password: or_empty("password").filter(|password| !password.is_empty()),
            database,
            passfile: path("passfile")?.or_else(|| Some(environment.home()?.join(".pgpass"))),
            application_name: or_empty("application_name").or_else(|| or_empty("fallback_application_name")),
            options: options.map(|given| given.value.clone()),
            search_path,
            connect_timeout: connect_timeout(&parameters)?,
            must_write: must_write(&parameters)?,
            ignored: parameters.ignored,
        })
    }

    #[cfg(feature = "cli")]
    pub(in crate::dialect) fn names_schema(&self) -> bool {
        self.search_path.is_some()
    }

    /// Parameters that have no meaning here, and that do no harm.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }
}

#[cfg(feature = "postgres")]
impl PostgresUrl {
    pub(crate) fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    pub(crate) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    pub(crate) fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// The file of passwords, which need not be there.
    pub(crate) fn passfile(&self) -> Option<&Path> {
        self.passfile.as_deref()
    }

    pub(crate) fn tls_mode(&self) -> TlsMode {
        self.tls.mode
    }

    /// The certificates that servers are checked against.
    pub(crate) fn tls_root(&self) -> Option<&Path> {
        self.tls.root.as_deref()
    }

    /// The certificate that we show, and its key.
    pub(crate) fn tls_identity(&self) -> Option<(&Path, &Path)> {
        Some((self.tls.certificate.as_deref()?, self.tls.key.as_deref()?))
    }

    pub(crate) fn application_name(&self) -> Option<&str> {
        self.application_name.as_deref()
    }

    pub(crate) fn options(&self) -> Option<&str> {
        self.options.as_deref()
    }

    /// The schemas that were named, in which every table is looked for.
    pub(crate) fn schemas(&self) -> Option<&[String]> {
        self.search_path.as_ref().map(|path| path.schemas.as_slice())
    }

    /// The value of `search_path` that the server must still be told.
    pub(crate) fn search_path(&self) -> Option<String> {
        let path = self.search_path.as_ref().filter(|path| !path.is_in_options)?;
        Some(search_path::quoted(&path.schemas))
    }

    /// The search path of each transaction on a session that others have had: the one that was named, or the role's
    /// or database's own.
    pub(crate) fn path_of_a_transaction(&self) -> String {
        self.schemas().map_or_else(|| "DEFAULT".to_owned(), search_path::quoted)
    }

    /// How long a connection may take, where that was said.
    pub(crate) fn connect_timeout(&self) -> Option<Duration> {
        self.connect_timeout
    }

    /// A server that takes no writes is none that was asked for.
    pub(crate) fn must_write(&self) -> bool {
        self.must_write
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.user.as_ref().map(|user| format!("{}@", encoded(user))).unwrap_or_default();
        let database = self.database.as_deref().map(encoded).unwrap_or_default();
        let mut parameters = Vec::new();
        let list = |what: &dyn Fn(&Host) -> String| self.hosts.iter().map(what).collect::<Vec<_>>().join(",");
        let hosts = if self.hosts.iter().any(Host::is_socket) {
            parameters.push(format!("host={}", list(&|host| host.name.clone())));
            parameters.push(format!("port={}", list(&|host| host.port.to_string())));
            String::new()
        } else {
            list(&|host| match host.name.contains(':') {
                true => format!("[{}]:{}", host.name, host.port),
                false => format!("{}:{}", host.name, host.port),
            })
        };
        if self.hosts.iter().any(|host| host.address.as_ref().is_some_and(|address| *address != host.name)) {
            let addresses = list(&|host| host.address.clone().unwrap_or_default());
            parameters.push(format!("hostaddr={addresses}"));
        }
        if let Some(path) = &self.search_path {
            let schemas: Vec<String> = path.schemas.iter().map(|schema| encoded(schema)).collect();
            parameters.push(format!("search_path={}", schemas.join(",")));
        }
        write!(f, "postgres://{user}{hosts}/{database}")?;
        if !parameters.is_empty() {
            write!(f, "?{}", parameters.join("&"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The parts of a URI, as parameters. Everything that could be a piece of a password which was not encoded is
/// refused, and not repeated.
pub(in crate::dialect) fn parameters_of_uri(text: &str) -> Result<Vec<Given>, InvalidUrl> {
    if text.contains('#') {
        return Err(InvalidUrl::malformed("it holds a #, which has no meaning in a database URL"));
    }
    let end = text.find(['/', '?']).unwrap_or(text.len());
    let (authority, tail) = text.split_at(end);
    // An @ of a parameter's value is one only where no password has begun before it.
    if tail.contains('@') && authority.contains([':', '@']) || authority.matches('@').count() > 1 {
        return Err(InvalidUrl::malformed(
            "an @, / or ? in it belongs to no part of a URL, or to a password",
        ));
    }
    let mut given = Vec::new();
    let mut part = |name: &str, value: String| {
        if !value.is_empty() {
            given.push(Given { replaceable: true, ..Given::new(name, value) });
        }
    };
    let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    part("user", percent_decoded(user, "the user")?);
    part("password", percent_decoded(password, "the password")?);
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        let (name, port) = match host.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest
                    .split_once(']')
                    .ok_or_else(|| InvalidUrl::malformed("an address in square brackets has no end"))?;
                (address, port.strip_prefix(':').or(port.is_empty().then_some("")))
            }
            None => match host.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (host, Some("")),
            },
        };
        let port =
            port.ok_or_else(|| InvalidUrl::malformed("what follows an address in brackets is no port"))?;
        names.push(percent_decoded(name, "the host")?);
        ports.push(percent_decoded(port, "the port")?);
    }
    if names.iter().all(String::is_empty) && names.len() > 1 {
        return Err(InvalidUrl::new("a host of the list is empty"));
    }
    part("host", names.join(","));
    if ports.iter().any(|port| !port.is_empty()) {
        part("port", ports.join(","));
    }
    let (path, parameters) = tail.split_once('?').unwrap_or((tail, ""));
    let database = path.strip_prefix('/').unwrap_or(path);
    if database.contains('@') {
        return Err(InvalidUrl::malformed("the database's name holds an @"));
    }
    part("dbname", percent_decoded(database, "the database")?);
    for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| InvalidUrl::malformed("a parameter of it has no ="))?;
        given.push(Given::new(percent_decoded(name, "a parameter")?, percent_decoded(value, "a parameter")?));
    }
    Ok(given)
}

/// `%40` is `@`. What is no such escape is refused, as libpq does.
pub(in crate::dialect) fn percent_decoded(text: &str, what: &str) -> Result<String, InvalidUrl> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) if high + low > 0 => bytes.push((high * 16 + low) as u8),
            _ => {
                return Err(InvalidUrl::malformed(format!(
                    "{what} holds a % that begins no percent-encoding"
                )));
            }
        }
    }
    let text =
        String::from_utf8(bytes).map_err(|_| InvalidUrl::malformed(format!("{what} is not valid UTF-8")))?;
    if text.contains('\0') {
        return Err(InvalidUrl::malformed(format!("{what} holds a NUL")));
    }
    Ok(text)
}

/// The reverse, for what is shown.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '~' | '$') {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}

fn hosts(parameters: &Parameters) -> Result<Vec<Host>, InvalidUrl> {
    let list = |name: &str| -> Result<Vec<String>, InvalidUrl> {
        let given = parameters.value(name)?;
        Ok(given
            .map_or_else(Vec::new, |given| given.value.split(',').map(|one| one.trim().to_owned()).collect()))
    };
    let (names, addresses) = (list("host")?, list("hostaddr")?);
    if !names.is_empty() && !addresses.is_empty() && names.len() != addresses.len() {
        return Err(InvalidUrl::new("host and hostaddr list different numbers of servers"));
    }
    let count = names.len().max(addresses.len()).max(1);
    let mut ports = Vec::new();
    if let Some(given) = parameters.value("port")? {
        for text in given.value.split(',').map(str::trim) {
            let wrong =
                || InvalidUrl::malformed(format!("{} is no port from 1 to 65535", given.label("port")));
            ports.push(match text {
                "" => 5432,
                text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                    text.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?
                }
                _ => return Err(wrong()),
            });
        }
    }
    if ports.len() > 1 && ports.len() != count {
        return Err(InvalidUrl::new(format!("there are {} ports for {count} hosts", ports.len())));
    }
    let mut hosts = Vec::with_capacity(count);
    for index in 0..count {
        let port = *ports.get(index).or(ports.first()).unwrap_or(&5432);
        let name = names.get(index).filter(|name| !name.is_empty());
        let address = addresses.get(index).filter(|address| !address.is_empty()).cloned();
        if let Some(address) = &address
            && address.parse::<IpAddr>().is_err()
        {
            return Err(InvalidUrl::new("hostaddr is no IP address"));
        }
        let name = match (name, &address) {
            (Some(name), _) => host_name(name)?,
            (None, Some(address)) => address.clone(),
            (None, None) if count > 1 => return Err(InvalidUrl::new("a host of the list is empty")),
            (None, None) => default_host(port),
        };
        hosts.push(Host { name, address, port });
    }
    Ok(hosts)
}

fn host_name(name: &str) -> Result<String, InvalidUrl> {
    if name.starts_with('/') {
        return Ok(name.to_owned());
    }
    if name.contains(':') {
        let address = name.split('%').next().unwrap_or(name);
        return match address.parse::<IpAddr>() {
            Ok(_) => Ok(name.to_owned()),
            Err(_) => Err(InvalidUrl::malformed("a host holds a :, and is no IPv6 address")),
        };
    }
    if name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return Ok(name.to_owned());
    }
    Err(InvalidUrl::malformed("a host holds characters that no host's name has"))
}

/// As the driver has it: the socket of a server on this host where there is one.
fn default_host(port: u16) -> String {
    let folders = ["/var/run/postgresql", "/private/tmp", "/tmp"];
    let socket = format!(".s.PGSQL.{port}");
    folders
        .into_iter()
        .find(|folder| Path::new(folder).join(&socket).exists())
        .unwrap_or("localhost")
        .to_owned()
}

fn tls(parameters: &Parameters, hosts: &[Host], environment: &Environment<'_>) -> Result<Tls, InvalidUrl> {
    let given = parameters.value("sslmode")?;
    let mut mode = match given.map(|given| given.value.as_str()) {
        None => None,
        Some("disable") => Some(TlsMode::Disable),
        // The driver's own "allow" never encrypts.
        Some("allow" | "prefer") => Some(TlsMode::Prefer),
        Some("require") => Some(TlsMode::Require),
        Some("verify-ca") => Some(TlsMode::VerifyCa),
        Some("verify-full") => Some(TlsMode::VerifyFull),
        Some(_) => {
            let label = given.map(|given| given.label("sslmode")).unwrap_or_default();
            return Err(InvalidUrl::new(format!("{label} has a value that is not known"))
                .with_hint("it can be disable, allow, prefer, require, verify-ca or verify-full"));
        }
    };
    if let Some(ssl) = parameters.value("ssl")? {
        match ssl.value.to_ascii_lowercase().as_str() {
            "true" | "1" | "on" | "yes" | "require" => {
                let contradicts = given.is_some_and(|given| given.origin == Origin::Text);
                if contradicts && mode < Some(TlsMode::Require) {
                    return Err(InvalidUrl::new("ssl asks for encryption, and sslmode does not")
                        .with_hint("leave ssl out, and set sslmode to require or verify-full"));
                }
                mode = mode.max(Some(TlsMode::Require));
            }
            "false" | "0" | "off" | "no" | "disable" => {}
            _ => {
                return Err(InvalidUrl::new("the parameter ssl has a value that is not known")
                    .with_hint("set sslmode to require or verify-full"));
            }
        }
    }
    let home = environment.home().map(|home| home.join(".postgresql"));
    let of_home = |name: &str| home.as_ref().map(|home| home.join(name)).filter(|path| path.exists());
    let root = match parameters.value("sslrootcert")? {
        Some(given) if given.value == "system" => {
            if given.origin == Origin::Variable("PGSSLROOTCERT")
                || environment.path("PGSSLROOTCERT").is_some()
            {
                return Err(InvalidUrl::new("$PGSSLROOTCERT can't be set beside the system's certificates")
                    .with_hint("unset it: without a file the system's certificates are used"));
            }
            if mode.is_some_and(|mode| mode < TlsMode::VerifyFull) {
                return Err(InvalidUrl::new("sslrootcert=system needs sslmode=verify-full"));
            }
            mode = Some(TlsMode::VerifyFull);
            None
        }
        Some(given) => Some(PathBuf::from(&given.value)),
        None => of_home("root.crt"),
    };
    let mut mode = mode.unwrap_or(TlsMode::Prefer);
    // As libpq: whoever has the certificates at hand wants them compared.
    if mode == TlsMode::Require && root.is_some() {
        mode = TlsMode::VerifyCa;
    }
    if mode == TlsMode::VerifyFull && hosts.iter().any(|host| host.address.is_some()) {
        return Err(InvalidUrl::new("hostaddr can't be used with sslmode=verify-full").with_hint(
            "leave hostaddr out: the server's certificate is compared with the name that is connected to",
        ));
    }
    let path =
        |name: &str| Ok::<_, InvalidUrl>(parameters.value(name)?.map(|given| PathBuf::from(&given.value)));
    let certificate = path("sslcert")?.or_else(|| of_home("postgresql.crt"));
    let key = path("sslkey")?.or_else(|| of_home("postgresql.key"));
    if parameters.get("sslcert").is_some() && key.is_none() {
        return Err(InvalidUrl::new("sslcert is set, and sslkey is not"));
    }
    Ok(Tls { mode, root, certificate, key })
}

/// The schemas that were named, by whichever of the parameters.
fn schemas(parameters: &Parameters, environment: &Environment<'_>) -> Result<Option<SearchPath>, InvalidUrl> {
    let mut named: Option<(&str, Vec<String>)> = None;
    for name in ["schema", "currentSchema", "search_path"] {
        let Some(given) = parameters.value(name)? else { continue };
        let schemas = match name {
            // Exactly one, exactly as it is written.
            "schema" if given.value.contains([',', '"']) => None,
            "schema" => Some(vec![given.value.clone()]),
            _ => search_path::parse(&given.value),
        };
        let Some(schemas) = schemas else {
            return Err(InvalidUrl::new(format!("{} is no name of a schema", given.label(name)))
                .with_hint("search_path takes several, separated by commas"));
        };
        match &named {
            Some((before, other)) if *other != schemas => {
                return Err(InvalidUrl::new(format!("{before} and {name} name different schemas"))
                    .with_hint("leave one of them out"));
            }
            Some(_) => {}
            None => named = Some((name, schemas)),
        }
    }
    let options = parameters.get("options");
    let settings = options.and_then(|given| search_path::settings(&given.value));
    let of_options = settings.iter().flatten().rfind(|(name, _)| name == "search_path");
    let of_options = of_options.and_then(|(_, value)| search_path::parse(value));
    let is_variable = options.is_some_and(|given| matches!(given.origin, Origin::Variable(_)));
    if let (Some(given), false) = (options, is_variable)
        && let Some(variable) = environment.text("PGOPTIONS")?.filter(|text| !text.trim().is_empty())
        && variable.trim() != given.value.trim()
    {
        // The driver always sends what the variable says: it must not outlive options that replace it.
        let outlives = match (search_path::settings(&variable), &settings) {
            (Some(variable), Some(settings)) => {
                variable.iter().any(|(name, _)| !settings.iter().any(|(other, _)| other == name))
            }
            _ => true,
        };
        if outlives {
            return Err(InvalidUrl::new("$PGOPTIONS is set, and the URL has options that replace it")
                .with_hint("unset PGOPTIONS, or leave the options out of the URL"));
        }
    }
    match (named, of_options) {
        (None, None) => Ok(None),
        (None, Some(schemas)) => Ok(Some(SearchPath { schemas, is_in_options: true })),
        (Some((name, schemas)), Some(other)) if !is_variable && schemas != other => {
            Err(InvalidUrl::new(format!("{name} and the search_path in options name different schemas"))
                .with_hint("leave one of them out"))
        }
        (Some((_, schemas)), _) => Ok(Some(SearchPath { schemas, is_in_options: false })),
    }
}

fn connect_timeout(parameters: &Parameters) -> Result<Option<Duration>, InvalidUrl> {
    /// Without a limit; longer than anybody waits.
    const ENDLESS: Duration = Duration::from_secs(24 * 60 * 60);
    let Some(given) = parameters.value("connect_timeout")? else { return Ok(None) };
    match given.value.trim().parse::<i32>() {
        Ok(seconds) => Ok(Some(match u64::try_from(seconds) {
            Ok(0) | Err(_) => ENDLESS,
            Ok(seconds) => Duration::from_secs(seconds).min(ENDLESS),
        })),
        Err(_) => Err(InvalidUrl::new(format!("{} is no number of seconds", given.label("connect_timeout")))),
    }
}

/// Of several hosts the one that takes writes is used in any case.
fn must_write(parameters: &Parameters) -> Result<bool, InvalidUrl> {
    let Some(given) = parameters.value("target_session_attrs")? else { return Ok(false) };
    match given.value.as_str() {
        "any" => Ok(false),
        "read-write" | "primary" => Ok(true),
        "read-only" | "standby" | "prefer-standby" => Err(InvalidUrl::new(format!(
            "{} asks for a standby, and idemctl looks for the server that takes writes",
            given.label("target_session_attrs")
        ))
        .with_hint("to look at a standby, name it alone and leave target_session_attrs out")),
        _ => Err(InvalidUrl::new(format!(
            "{} has a value that is not known",
            given.label("target_session_attrs")
        ))
        .with_hint("it can be any, read-write or primary")),
    }
}
