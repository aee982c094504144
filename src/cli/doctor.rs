//! `idemctl doctor`

use clap::Args;

/// Examine the database and every configured table (`--table` picks one): whether a key names one row,
/// an index serves the purge, the role has the rights that it needs and sees every row, clocks and states
/// are written as the mapping says, something keeps vacuum back, somebody purges.
///
/// It reads and changes nothing. Each finding comes with what it means and what fixes it. Exit status 8
/// says that a finding is an error; warnings alone are 0. `-v` says what was found where all is well.
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {}
