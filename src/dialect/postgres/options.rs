//! The driver's options, made from what a URL, a service and the variables name.

use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use tokio::time::timeout;

use super::backend::{OWN_USER, describe};
use super::url::{Host, PostgresUrl, TlsMode};
use crate::dialect::{ErrorKind, StoreError, Timeouts};

/// One per host, in their order. Files of passwords and certificates are read anew each time: they may have
/// changed since the last connection.
pub(super) fn candidates(url: &PostgresUrl) -> Result<Vec<PgConnectOptions>, StoreError> {
    let passwords = match (url.password(), url.passfile()) {
        (None, Some(file)) => password_lines(file).unwrap_or_default(),
        _ => String::new(),
    };
    url.hosts().iter().map(|host| options(url, host, &passwords)).collect()
}

fn options(url: &PostgresUrl, host: &Host, passwords: &str) -> Result<PgConnectOptions, StoreError> {
    // The driver reads variables by itself, and the file of passwords with rules of its own: an explicit
    // password, empty or not, keeps it from that. Whatever else it found is replaced below.
    let mut options = PgConnectOptions::from_str(&match url.options() {
        Some(options) => format!("postgres:///?password=&options={}", escaped(options)),
        None => "postgres:///?password=".to_owned(),
    })?
    .host(host.address.as_deref().unwrap_or(&host.name))
    .port(host.port)
    .application_name(url.application_name().unwrap_or("idemctl"))
    // PgBouncer refuses start-up parameters that it does not know.
    .extra_float_digits(None);
    if host.is_socket() {
        options = options.socket(&host.name);
    }
    if let Some(user) = url.user() {
        options = options.username(user);
    }
    if options.get_username().is_empty() {
        return Err(StoreError::new(ErrorKind::Input, "no user is named to connect as"));
    }
    let user = options.get_username().to_owned();
    let database = url.database().unwrap_or(&user).to_owned();
    options = options.database(&database);
    let password = match url.password() {
        Some(password) => Some(password.to_owned()),
        None => password_of_lines(passwords, host, &user, &database),
    };
    options = options.password(password.as_deref().unwrap_or_default());
    if let Some(search_path) = url.search_path() {
        options = options.options([("search_path", search_path)]);
    }
    encrypted(options, url, host)
}

fn encrypted(
    options: PgConnectOptions,
    url: &PostgresUrl,
    host: &Host,
) -> Result<PgConnectOptions, StoreError> {
    let readable = |path: &Path, what: &str| match fs::File::open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::new(
            ErrorKind::Input,
            format!("{what} {} can't be read: {error}", path.display()),
        )),
    };
    // As libpq: what stays on this host is not encrypted.
    let mode = if host.is_socket() { TlsMode::Disable } else { url.tls_mode() };
    let mut options = options.ssl_mode(match mode {
        TlsMode::Disable => PgSslMode::Disable,
        TlsMode::Prefer => PgSslMode::Prefer,
        TlsMode::Require => PgSslMode::Require,
        TlsMode::VerifyCa => PgSslMode::VerifyCa,
        TlsMode::VerifyFull => PgSslMode::VerifyFull,
    });
    if mode == TlsMode::Disable {
        return Ok(options);
    }
    if let Some(root) = url.tls_root() {
        readable(root, "the file of root certificates")?;
        options = options.ssl_root_cert(root);
    }
    if let Some((certificate, key)) = url.tls_identity() {
        readable(certificate, "the client's certificate")?;
        readable(key, "the client's key")?;
        if is_open_to_others(key) {
            return Err(StoreError::new(
                ErrorKind::Input,
                format!("the client's key {} can be read by others; run chmod 600 on it", key.display()),
            ));
        }
        options = options.ssl_client_cert(certificate).ssl_client_key(key);
    }
    Ok(options)
}

/// Every byte of the text as a URL's parameter has it.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Whether somebody else can read a secret.
fn is_open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        fs::metadata(path).is_ok_and(|meta| {
            // A group of root's choice may read a key of the whole host.
            let closed = if meta.uid() == 0 { 0o037 } else { 0o077 };
            meta.permissions().mode() & closed != 0
        })
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The text of the file of passwords, where nobody else can read it. No line of it is ever repeated.
fn password_lines(file: &Path) -> Option<String> {
    let meta = match fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!("the password file {} can't be read: {error}", file.display());
            }
            return None;
        }
    };
    if !meta.is_file() {
        tracing::warn!("the password file {} is no plain file, and is not used", file.display());
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if meta.permissions().mode() & 0o077 != 0 {
            tracing::warn!(
                "the password file {} can be read by others, and is not used; run chmod 600 on it",
                file.display()
            );
            return None;
        }
    }
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            tracing::warn!("the password file {} can't be read: {error}", file.display());
            return None;
        }
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The password of the first line `host:port:database:user:password` that fits.
fn password_of_lines(text: &str, host: &Host, user: &str, database: &str) -> Option<String> {
    let name = match host.name.as_str() {
        // The folders where servers put their sockets by default.
        "/var/run/postgresql" | "/run/postgresql" | "/tmp" => "localhost",
        name => name,
    };
    let wanted = [name.to_owned(), host.port.to_string(), database.to_owned(), user.to_owned()];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let (password, place) = fields.split_last()?;
        let fits = place.len() == wanted.len()
            && place.iter().zip(&wanted).all(|(field, wanted)| field == "*" || field == wanted);
        (fits && !password.is_empty()).then(|| password.clone())
    })
}

/// Divided at the first four colons; a backslash takes the meaning of the character after it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        let is_last = fields.len() == 5;
        let Some(field) = fields.last_mut() else { break };
        match c {
            '\\' => field.extend(characters.next()),
            ':' if !is_last => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

/// How long a connection may take: what the URL says, else what the caller wants.
pub(super) fn timeouts(url: &PostgresUrl, timeouts: Timeouts) -> Timeouts {
    Timeouts { connect: url.connect_timeout().unwrap_or(timeouts.connect), ..timeouts }
}

/// Whether one of the schemas that were named is there: the server passes over a missing one in silence.
pub(super) async fn check_schema(
    url: &PostgresUrl,
    options: &PgConnectOptions,
    patience: Duration,
) -> Result<(), StoreError> {
    let Some(schemas) = url.schemas() else { return Ok(()) };
    let script = format!(
        "BEGIN READ ONLY; {OWN_USER}; SET LOCAL search_path TO {}; SELECT CAST(current_schema() AS text); COMMIT",
        url.path_of_a_transaction()
    );
    let attempt = async {
        let mut connection = PgConnection::connect_with(options).await?;
        let row = sqlx::raw_sql(AssertSqlSafe(script)).fetch_one(&mut connection).await?;
        let _ = connection.close().await;
        row.try_get::<Option<String>, _>(0)
    };
    let database = describe(options);
    match timeout(patience, attempt).await {
        Ok(Ok(Some(_))) => Ok(()),
        Ok(Ok(None)) => Err(StoreError::new(
            ErrorKind::WrongSchema,
            format!("there is no schema {} in {database}, or the role may not use it", schemas.join(", ")),
        )),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(StoreError::new(
            ErrorKind::Unreachable,
            format!("{database} does not answer within {patience:?}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::backend::describe;
    use super::{candidates, fields};
    use crate::dialect::DatabaseUrl;

    #[test]
    fn an_ipv6_address_is_in_brackets_for_people_only() {
        let url: DatabaseUrl = "postgres://me@[::1]:5433,db/shop".parse().unwrap();
        let DatabaseUrl::Postgres(url) = url else { panic!("{url}") };
        let [six, name] = candidates(&url).unwrap().try_into().unwrap();
        assert_eq!((six.get_host(), name.get_host()), ("::1", "db"));
        assert_eq!(describe(&six), "postgres://me@[::1]:5433/shop");
    }

    #[test]
    fn lines_of_the_password_file_are_divided_at_four_colons() {
        assert_eq!(fields(r"h\:1:5432:*:u:a:b\\c"), ["h:1", "5432", "*", "u", r"a:b\c"]);
        assert_eq!(fields("only:three:parts").len(), 3);
    }
}
