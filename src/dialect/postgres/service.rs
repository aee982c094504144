//! libpq's service file: parameters under a name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::parameters::Given;
use crate::dialect::url::{Environment, InvalidUrl};

/// Folders of the system-wide file, where `$PGSYSCONFDIR` does not name one: Debian's, and the others'.
const SYSTEM: [&str; 2] = ["/etc/postgresql-common", "/etc"];

/// The parameters of a service.
pub(in crate::dialect) fn load(
    name: &str,
    file: Option<PathBuf>,
    environment: &Environment<'_>,
) -> Result<Vec<Given>, InvalidUrl> {
    let named = file.or_else(|| environment.path("PGSERVICEFILE"));
    let is_named = named.is_some();
    let users = named.or_else(|| Some(environment.home()?.join(".pg_service.conf")));
    let system = match environment.path("PGSYSCONFDIR") {
        Some(folder) => vec![folder],
        None => SYSTEM.map(PathBuf::from).to_vec(),
    };
    let files = users.into_iter().chain(system.into_iter().map(|folder| folder.join("pg_service.conf")));
    for (index, file) in files.enumerate() {
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !(index == 0 && is_named) => continue,
            Err(error) => {
                return Err(InvalidUrl::new(format!(
                    "the service file {} can't be read: {error}",
                    file.display()
                )));
            }
        };
        if let Some(given) = section(name, &text, &file)? {
            return Ok(given);
        }
    }
    Err(InvalidUrl::new(format!("there is no service {name:?}"))
        .with_hint("services are in ~/.pg_service.conf, $PGSERVICEFILE and $PGSYSCONFDIR/pg_service.conf"))
}

/// No line is repeated in an error: it may hold a password.
fn section(name: &str, text: &str, file: &Path) -> Result<Option<Vec<Given>>, InvalidUrl> {
    let wrong = |number: usize, what: &str| {
        InvalidUrl::new(format!("the service file {}, line {}: {what}", file.display(), number + 1))
    };
    let mut given: Option<Vec<Given>> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(heading) = line.strip_prefix('[') {
            if given.is_some() {
                break;
            }
            given = (heading.strip_suffix(']') == Some(name)).then(Vec::new);
            continue;
        }
        let Some(given) = &mut given else { continue };
        if line.starts_with("ldap") {
            return Err(wrong(number, "a look-up by LDAP is not supported"));
        }
        let (key, value) = line.split_once('=').ok_or_else(|| wrong(number, "there is no ="))?;
        if matches!(key, "service" | "servicefile") {
            return Err(wrong(number, "a service can't name another one"));
        }
        if !given.iter().any(|one: &Given| one.name == key) {
            given.push(Given::new(key, value.to_owned()));
        }
    }
    Ok(given)
}
