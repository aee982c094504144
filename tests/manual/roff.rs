//! Writes a manual page in roff's man macros.

/// A page that grows from its top to its end.
pub struct Page(String);

impl Page {
    /// Starts a page. Without a date: it would differ with every build.
    pub fn new(name: &str, section: u8, version: &str, purpose: &str) -> Self {
        let title = name.to_uppercase();
        let mut page = Self(format!(".TH {title} {section} \"\" \"idemctl {version}\"\n"));
        page.section("NAME");
        page.line(&format!("{} \\- {}", escape(name), escape(purpose)));
        page
    }

    pub fn section(&mut self, title: &str) {
        self.line(&format!(".SH \"{title}\""));
    }

    pub fn subsection(&mut self, title: &str) {
        self.line(&format!(".SS \"{title}\""));
    }

    /// A paragraph; what stands between backticks is bold.
    pub fn text(&mut self, text: &str) {
        self.line(".PP");
        self.sentences(text);
    }

    /// A term and what it means.
    pub fn item(&mut self, term: &str, text: &str) {
        self.line(".TP");
        self.line(&format!("\\fB{}\\fR", escape(term)));
        self.sentences(text);
    }

    /// A step of a list.
    pub fn step(&mut self, number: &str, text: &str) {
        self.line(&format!(".IP {number} 4"));
        self.sentences(text);
    }

    /// Text that must come out as it is.
    pub fn code(&mut self, text: &str) {
        self.line(".PP");
        self.line(".in +4n");
        self.line(".EX");
        for line in text.lines() {
            self.line(&guarded(&escape(line)));
        }
        self.line(".EE");
        self.line(".in");
    }

    pub fn finish(self) -> String {
        assert!(self.0.is_ascii(), "a page is plain ASCII");
        self.0
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// One line a sentence, as roff likes it.
    fn sentences(&mut self, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in text.split_inclusive(". ") {
            let mut line = String::new();
            for (index, part) in sentence.trim_end().split('`').enumerate() {
                if index % 2 == 1 {
                    line.push_str(&format!("\\fB{}\\fR", escape(part)));
                } else {
                    line.push_str(&escape(part));
                }
            }
            self.line(&guarded(&line));
        }
    }
}

/// A line that begins with a dot or a quote would be a request.
fn guarded(line: &str) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
}

/// Characters that roff reads or a terminal shows otherwise.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            c => out.push(c),
        }
    }
    out
}
