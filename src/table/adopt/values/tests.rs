use super::*;

fn column(name: &str, family: Family) -> CatalogueColumn {
    CatalogueColumn {
        name: name.into(),
        sql_type: "text".into(),
        family,
        not_null: true,
        generated: false,
        counted: false,
        default: None,
        labels: Vec::new(),
        references: None,
        comment: None,
    }
}

fn of(check: &str, family: Family) -> Option<Vec<String>> {
    let status = column("status", family);
    let table = CatalogueTable {
        columns: vec![status.clone(), column("other", Family::Text)],
        checks: vec![check.into()],
        ..CatalogueTable::default()
    };
    closed(&status, &table).map(|values| values.iter().map(super::super::toml::literal).collect())
}

#[test]
fn a_list_of_values_is_read_from_a_check() {
    let some = |values: &[&str]| Some(values.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    for text in [
        "CHECK ((status = ANY (ARRAY['a'::text, 'b'::text])))",
        "CHECK (((status)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])))",
        "(`status` IN ('a', 'b'))",
        "(\"status\" = 'a' OR status = 'b' OR status IS NULL)",
        "(status IN ('a', /* ' */ 'b') -- ')\n)",
    ] {
        assert_eq!(of(text, Family::Text), some(&["\"a\"", "\"b\""]), "{text}");
    }
    assert_eq!(of("(status IN (0, 1))", Family::Integer), some(&["0", "1"]));
    assert_eq!(of("(status IN ('it''s'))", Family::Text), some(&["\"it's\""]));
    for text in [
        "(status <> 'a')",
        "(status NOT IN ('a'))",
        "(length(status) IN (1, 2))",
        "(status IN ('a') AND other IN ('b'))",
        "(status > 'a')",
        "(status IN (other))",
        "(status ~ 'a')",
        "(status IN (-1, 1))",
        "",
    ] {
        assert_eq!(of(text, Family::Text), None, "{text}");
    }
}

#[test]
fn checks_are_found_in_the_statement() {
    let found = checks_in(
        "CREATE TABLE `t (` (a TEXT CHECK (a IN ('x)', 'y')), [b (] TEXT /* CHECK (z) */, -- CHECK (q)
         \"check\" TEXT DEFAULT ('check'), CONSTRAINT c CHECK(length(a) < (3)))",
    );
    assert_eq!(found, ["(a IN ('x)', 'y'))", "(length(a) < (3))"]);
    for broken in ["CHECK (", "CHECK ('", "/*", "--", "[", ")))"] {
        assert!(checks_in(broken).is_empty(), "{broken}");
    }
}

#[test]
fn a_default_is_a_value_or_not() {
    let of =
        |text: &str| default(&CatalogueColumn { default: Some(text.into()), ..column("c", Family::Text) });
    assert_eq!(of("'PENDING'::\"Status\""), Some(Literal::Text("PENDING".into())));
    assert_eq!(of("('a')"), Some(Literal::Text("a".into())));
    assert_eq!(of("0"), Some(Literal::Int(0)));
    assert_eq!(of("false"), Some(Literal::Bool(false)));
    for text in ["now()", "CURRENT_TIMESTAMP", "'a' || 'b'", ""] {
        assert_eq!(of(text), None, "{text}");
    }
}
