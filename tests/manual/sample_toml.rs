//! packaging/idemctl.toml, the configuration file that the Debian package installs: every setting
//! with its default, all of it commented out.

use idemctl::settings_reference;

pub fn file() -> String {
    let mut file = String::from(
        "# Configuration of idemctl: idemctl.toml(5), and `idemctl config show` for what counts now.\n\
         #\n\
         # Every setting is optional. Those that have a default show it here, commented out.\n\
         #\n\
         # Everyone on this machine may read this file. The database's URL, which has a password in it, belongs\n\
         # in one that only root may read: systemd hands /etc/idemctl/database-url to the janitor. A person's\n\
         # own idemctl.toml replaces this one (~/.config/idemctl/idemctl.toml).\n",
    );
    let mut section = "";
    let settings = settings_reference();
    for setting in &settings {
        let (of, name) = setting.key.split_once('.').expect("every key has a section");
        if of != section {
            section = of;
            file.push_str(&format!("\n[{section}]\n"));
        }
        file.push('\n');
        let text = format!("{} Type: {}.", setting.meaning, setting.kind);
        for line in wrapped(&text, 98) {
            file.push_str(&format!("# {line}\n"));
        }
        match &setting.default {
            Some(default) => file.push_str(&format!("#{name} = {default}\n")),
            None => file.push_str(&format!("# Unset by default.\n#{name} =\n")),
        }
    }
    file
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
