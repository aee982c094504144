use super::*;

fn read(text: &str) -> Result<Mapping, String> {
    let config: TableConfig =
        Figment::from(Toml::string(text)).extract().map_err(|error| error.to_string())?;
    config.mapping()
}

const SMALL: &str = "name = \"t\"\nkey = \"k\"\n[state]\nalways = \"completed\"\n";

#[test]
fn names_are_taken_as_they_are() {
    let name = |text: &str| {
        table_name(text).map(|name| (name.schema.map(|one| one.to_string()), name.name.to_string()))
    };
    assert_eq!(name("keys"), Ok((None, "keys".into())));
    assert_eq!(name("Pay ments.keys;x"), Ok((Some("Pay ments".into()), "keys;x".into())));
    assert_eq!(name("\"a.b\".\"c.d\""), Ok((Some("a.b".into()), "c.d".into())));
    assert_eq!(name("\"\"\"a.\"\"\".b\"c"), Ok((Some("\"a.\"".into()), "b\"c".into())));
    for wrong in ["", "a.", ".a", "a.b.c", "\"a", "\"a\"b", "a\0"] {
        assert!(name(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_mapping_that_contradicts_itself_names_the_setting() {
    assert!(read(SMALL).is_ok());
    for (text, setting) in [
        ("[clock]\nttl = \"1d\"\n", "table.clock.created"),
        ("[clock]\nnull_expires = \"ttl\"\n", "table.clock.ttl"),
        (
            "[clock]\nttl = \"1d\"\nexpires = { column = \"e\", as = \"epoch_s\" }\ncreated = { column = \"c\", as = \"epoch_s\" }\n",
            "null_expires",
        ),
        (
            "[clock]\nttl = \"1d\"\nexpires = { column = \"e\", as = \"epoch_s\" }\nlease = { column = \"e\", as = \"epoch_s\" }\n",
            "lease",
        ),
        (
            "[clock]\nttl = \"1d\"\nexpires = { column = \"e\", as = \"epoch_s\" }\nnull_expires = \"ttl\"\n",
            "table.clock.created",
        ),
        ("[fail]\n", "table.fail"),
        ("[fail]\ndelete = true\nset = { a = 1 }\n", "table.fail"),
        ("[fail]\nset = { a = 1 }\nset_null = [\"a\"]\n", "\"a\" twice"),
        ("[clock]\ncreated = { column = \"c\", as = \"epoch\" }\n", "epoch_ms"),
        ("[clock]\ncreated = { column = \"c\", as = { naive = \"Mars\" } }\n", "Mars"),
        ("[clock]\ncreated = { column = \"c\", as = { text = \"DD.MM.\" } }\n", "spelling"),
        ("[show]\nresponse = { column = \"a\" }\nresponse_body = \"b\"\n", "table.show"),
    ] {
        let error = read(&format!("{SMALL}{text}")).unwrap_err();
        assert!(error.contains(setting), "{text}: {error}");
    }
    assert!(read("name = \"t\"\nkey = \"k\"").unwrap_err().contains("table.state"));
    assert!(read(&SMALL.replace("\"k\"", "[]")).unwrap_err().contains("`key`"));
    assert!(read(&SMALL.replace("\"k\"", "\"k\"\nscope = \"k\"")).unwrap_err().contains("`scope`"));
}

#[test]
fn reopens_may_stand_below_the_clocks() {
    let text = format!("{SMALL}[clock]\nreopens = true\n");
    assert!(read(&text).unwrap().claim.reopens);
    assert!(read(&format!("reopens = false\n{text}")).is_err());
}
