//! Lists of schemas: `app, "My Schema"`.

/// The names in a list, as PostgreSQL reads it: unquoted ones in lower case. `None` where it can't be read.
pub(in crate::dialect) fn parse(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text.trim();
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut name = String::new();
                let mut quoted = quoted;
                loop {
                    let (piece, after) = quoted.split_once('"')?;
                    name.push_str(piece);
                    match after.strip_prefix('"') {
                        Some(after) => {
                            name.push('"');
                            quoted = after;
                        }
                        None => break (name, after),
                    }
                }
            }
            None => {
                let end = rest.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                if name.contains('"') {
                    return None;
                }
                (name.to_lowercase(), after)
            }
        };
        if name.is_empty() || name.len() > 63 || name.contains('\0') {
            return None;
        }
        names.push(name);
        rest = after.trim_start();
        if rest.is_empty() {
            return Some(names);
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
}

/// The list as a value of `search_path`, each name exactly as it is.
#[cfg(feature = "postgres")]
pub(in crate::dialect) fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    names.join(", ")
}

/// The settings in a text of server options: `-c name=value`, `-cname=value` and `--name=value`. `None` where it
/// holds something else.
pub(in crate::dialect) fn settings(options: &str) -> Option<Vec<(String, String)>> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut characters = options.chars();
    let mut is_word = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                word.extend(characters.next());
                is_word = true;
            }
            c if c.is_whitespace() => {
                if std::mem::take(&mut is_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => {
                word.push(c);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    let mut settings = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let setting = if word == "-c" {
            words.next()?
        } else {
            word.strip_prefix("--").or_else(|| word.strip_prefix("-c"))?.to_owned()
        };
        let (name, value) = setting.split_once('=')?;
        settings.push((name.replace('-', "_").to_ascii_lowercase(), value.to_owned()));
    }
    Some(settings)
}
