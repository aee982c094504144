//! Text for people: owners, reasons, users, hosts. It never decides whether an outcome can be stored: what the
//! database's encoding can't hold is escaped. Keys and scopes can't be: they are refused.

use std::sync::OnceLock;

use super::{Actor, ErrorKind, Executor, Purpose, Statement, Store, StoreError, Value};

/// What a database's encoding holds, as far as that is known for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Every text.
    All,
    /// Characters up to U+00FF.
    Latin1,
    /// ASCII; of whatever else it holds we have no table.
    Ascii,
}

/// Asked once per store, and only where a text is not ASCII.
pub(super) type KnownEncoding = OnceLock<Holds>;

impl Holds {
    fn of(encoding: &str) -> Self {
        match encoding {
            // SQL_ASCII takes any bytes as they are.
            "UTF8" | "SQL_ASCII" => Self::All,
            "LATIN1" => Self::Latin1,
            _ => Self::Ascii,
        }
    }

    fn holds(self, c: char) -> bool {
        match self {
            Self::All => true,
            Self::Latin1 => u32::from(c) <= 0xff,
            Self::Ascii => c.is_ascii(),
        }
    }

    fn escape(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if self.holds(c) {
                out.push(c);
            } else {
                out.extend(c.escape_unicode());
            }
        }
        out
    }
}

impl Store {
    /// A text for people as this database can store it, on a connection at hand. PostgreSQL's text holds no
    /// NUL in any encoding.
    pub(super) async fn storable_on(&self, on: &mut dyn Executor, text: &str) -> Result<String, StoreError> {
        let text = text.replace('\0', "\u{fffd}");
        if text.is_ascii() || !self.dialect().has_encodings() {
            return Ok(text);
        }
        let holds = match self.encoding.get() {
            Some(known) => *known,
            None => {
                let sql = Statement::new("SELECT current_setting('server_encoding')");
                let row = on.fetch_one(&sql, &[]).await?;
                let name = row.map(|mut row| row.text()).transpose()?.flatten();
                let name = name.ok_or_else(|| StoreError::corrupt("the database names no encoding"))?;
                *self.encoding.get_or_init(|| Holds::of(&name))
            }
        };
        Ok(holds.escape(&text))
    }

    /// Whether a search that failed has found nothing, rather: a text that the database's encoding can't hold is in no
    /// row. Any other error stays.
    pub(super) async fn nothing_holds(&self, error: StoreError, texts: &[Value]) -> Result<(), StoreError> {
        if error.kind() != ErrorKind::Encoding {
            return Err(error);
        }
        let sql = Statement::new("SELECT CAST($1 AS text)");
        for text in texts.iter().filter(|value| matches!(value, Value::Text(Some(_)))) {
            match self.read_one(&sql, std::slice::from_ref(text)).await {
                Err(asked) if asked.kind() == ErrorKind::Encoding => return Ok(()),
                Err(asked) => return Err(asked),
                Ok(_) => {}
            }
        }
        Err(error)
    }

    /// A text for people as this database can store it, in a transaction of its own where one is needed.
    pub(super) async fn storable(&self, text: &str) -> Result<String, StoreError> {
        if text.is_ascii() && !text.contains('\0') {
            return Ok(text.to_owned());
        }
        self.with_retries(true, || async {
            let mut transaction = self.backend.begin(Purpose::Read).await?;
            let text = self.storable_on(transaction.executor(), text).await?;
            transaction.commit().await?;
            Ok(text)
        })
        .await
    }

    pub(super) async fn storable_actor(&self, actor: &Actor) -> Result<Actor, StoreError> {
        let mut storable = actor.clone();
        for text in [&mut storable.user, &mut storable.host, &mut storable.reason].into_iter().flatten() {
            *text = self.storable(text).await?;
        }
        storable.command = self.storable(&storable.command).await?;
        Ok(storable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_encoding_does_not_hold_is_escaped() {
        let text = "Jürgen → 日本";
        assert_eq!(Holds::of("UTF8").escape(text), text);
        assert_eq!(Holds::of("SQL_ASCII").escape(text), text);
        assert_eq!(Holds::of("LATIN1").escape(text), "Jürgen \\u{2192} \\u{65e5}\\u{672c}");
        assert_eq!(Holds::of("EUC_JP").escape(text), "J\\u{fc}rgen \\u{2192} \\u{65e5}\\u{672c}");
    }
}
