//! What to do about an error of a database, by its cause.

use crate::store::{ErrorKind, StoreError};

const OF_A_FILE: &str = "check that the file, what lies beside it (-wal, -shm) and its folder are there, and that this user may use them";

/// Where the kind of an error alone would advise too much, or something else.
pub(crate) fn by_cause(error: &StoreError) -> Option<&'static str> {
    if let Some(code) = error.sqlstate() {
        if error.is_of_another_connection() {
            return Some(
                "a trigger or a foreign table asks another server: look at what it asks, and at that server",
            );
        }
        return match code {
            // PgBouncer's word for a start-up parameter that it does not know.
            "08P01" => Some(
                "a pooler may not take options or a schema: connect to the server itself, or set search_path at the \
                 role or the database",
            ),
            "57P03" => Some("the server starts or stops: try again"),
            "57P01" | "57P02" => Some("the server stops, or somebody ended the connection: try again"),
            "28P01" => {
                Some("check the user and the password; a password file must be readable by its owner alone")
            }
            "28000" => Some(
                "check the user, and what the server's pg_hba.conf asks of this host: a password, TLS, a certificate",
            ),
            "22023" | "42601" | "42704" if error.kind() == ErrorKind::Refused => {
                Some("check the settings in options= and PGOPTIONS, and those of the role (ALTER ROLE … SET)")
            }
            "55000" if error.kind() == ErrorKind::Refused => {
                Some("the database is closed to all: ALTER DATABASE … ALLOW_CONNECTIONS true opens it")
            }
            "3D000" => Some("check the database's name in the URL, or make it with CREATE DATABASE"),
            "3F000" => {
                Some("make the schema with CREATE SCHEMA, or name another one with search_path= in the URL")
            }
            _ => None,
        };
    }
    if error.is_closed_file() {
        return Some(OF_A_FILE);
    }
    if let Some(code) = error.sqlite_code() {
        return match code & 0xff {
            // CANTOPEN
            14 => Some(OF_A_FILE),
            8 if error.kind() == ErrorKind::Right => Some(
                "run idemctl as the user that owns the file, or give this one the right to write its folder; where nobody \
                 writes to the file, ?immutable=1 in the URL opens it as it is",
            ),
            // READONLY
            8 => Some(
                "give this user the right to write the file and its folder; mode=ro and immutable in the URL keep it closed",
            ),
            _ => None,
        };
    }
    error.is_tls().then_some(
        "check sslmode, sslrootcert, sslcert and sslkey in the URL, and the certificate that the server offers",
    )
}
