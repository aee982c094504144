//! A pseudo-terminal: what a person types, and a program that has it as its terminal.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

/// The side of the person.
pub struct Terminal {
    master: File,
    slave: OwnedFd,
}

impl Terminal {
    /// A terminal that nobody uses yet.
    #[allow(unsafe_code, reason = "openpty(3) has no safe call here")]
    pub fn open() -> Self {
        let (mut master, mut slave) = (-1, -1);
        let null = std::ptr::null_mut();
        // SAFETY: both places are ours, and names and settings are not asked for.
        let opened = unsafe { libc::openpty(&mut master, &mut slave, null, null.cast(), null.cast()) };
        assert_eq!(opened, 0, "no pseudo-terminal");
        for end in [master, slave] {
            // SAFETY: it is open. A program that inherited the person's side would keep the line up.
            assert_eq!(unsafe { libc::fcntl(end, libc::F_SETFD, libc::FD_CLOEXEC) }, 0);
        }
        // SAFETY: both were opened just now, and nobody else has them.
        unsafe { Self { master: File::from_raw_fd(master), slave: OwnedFd::from_raw_fd(slave) } }
    }

    /// The terminal, for one of a command's standard streams.
    pub fn stream(&self) -> Stdio {
        self.slave.try_clone().unwrap().into()
    }

    /// Starts a command as the leader of a session on this terminal, as a login shell would be.
    #[allow(
        unsafe_code,
        reason = "pre_exec is unsafe; setsid and ioctl are safe to call between fork and exec"
    )]
    pub fn spawn(&self, command: &mut Command) -> Child {
        use std::os::fd::AsRawFd as _;
        let slave = self.slave.as_raw_fd();
        // SAFETY: only async-signal-safe calls are made.
        unsafe {
            command.pre_exec(move || {
                if libc::setsid() < 0 || libc::ioctl(slave, libc::TIOCSCTTY, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        command.spawn().unwrap()
    }

    /// Types.
    pub fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this was written to it, and gives all that was written before.
    #[allow(dead_code, reason = "each test crate uses its own part")]
    pub fn reads(&mut self, words: &str) -> String {
        use std::io::Read as _;
        let (mut all, mut piece) = (String::new(), [0; 4096]);
        while !all.contains(words) {
            let length = self.master.read(&mut piece).unwrap();
            all.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
        all
    }

    /// Everything that was written to it until the last program has closed it.
    pub fn read_all(self) -> String {
        use std::io::Read as _;
        let Self { mut master, slave } = self;
        drop(slave);
        let mut all = Vec::new();
        // The end is an error here.
        let _ = master.read_to_end(&mut all);
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Closes the person's side: the line is gone.
    pub fn hang_up(self) {}
}
