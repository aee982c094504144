//! The `idemctl` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    idemctl::commands::main()
}
