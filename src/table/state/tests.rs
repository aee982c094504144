use super::*;

fn text(values: &[&str]) -> Vec<Literal> {
    values.iter().map(|value| Literal::Text((*value).to_owned())).collect()
}

#[test]
fn unknown_states_are_in_no_condition() {
    let mut state = StateMapping::from(StateShape::Column {
        column: Ident::new("st'ate").unwrap(),
        in_progress: text(&["it's open"]),
        completed: text(&["done", "paid"]),
        failed: vec![],
        keep: vec![],
        null: None,
    });
    let sql =
        |state: &StateMapping, statuses: &[Status]| state.is(statuses, &Columns::owned(Dialect::Postgres));
    assert_eq!(sql(&state, &[Status::InProgress]), r#""st'ate" = 'it''s open'"#);
    assert_eq!(sql(&state, &[Status::Completed, Status::Failed]), r#""st'ate" IN ('done', 'paid')"#);
    assert_eq!(sql(&state, &[Status::Failed]), "(1 = 0)");
    assert_eq!(state.meaning(Some("paid")), Some(Meaning::Status(Status::Completed)));
    assert_eq!(state.meaning(Some("else")), None);
    assert_eq!(state.meaning(None), None);
    if let StateShape::Column { null, .. } = &mut state.shape {
        *null = Some(Meaning::Status(Status::InProgress));
    }
    assert_eq!(state.meaning(None), Some(Meaning::Status(Status::InProgress)));
    assert_eq!(sql(&state, &[Status::InProgress]), r#"("st'ate" = 'it''s open' OR "st'ate" IS NULL)"#);
}

#[test]
fn null_columns_mean_in_progress_only_together() {
    let column = |name: &str| Ident::new(name).unwrap();
    let state = StateMapping::from(StateShape::NullMeansInProgress(vec![column("a"), column("b")]));
    let sql = |statuses: &[Status]| state.is(statuses, &Columns::owned(Dialect::Sqlite));
    assert_eq!(sql(&[Status::InProgress]), "(`a` IS NULL AND `b` IS NULL)");
    assert_eq!(sql(&[Status::Completed, Status::Failed]), "NOT (`a` IS NULL AND `b` IS NULL)");
}

#[test]
fn presence_can_mean_done() {
    let state = StateMapping::from(StateShape::Always(Status::Completed));
    let columns = Columns::owned(Dialect::Postgres);
    assert_eq!(state.is(&[Status::Completed, Status::Failed], &columns), "(1 = 1)");
    assert_eq!(state.is(&[Status::InProgress], &columns), "(1 = 0)");
}

/// The condition of one dialect.
fn sql(state: &StateMapping, dialect: Dialect, statuses: &[Status]) -> String {
    state.is(statuses, &Columns::owned(dialect))
}

#[test]
fn a_mark_makes_a_settled_row_one_in_progress() {
    let mark =
        |name: &str, unset: &[Literal]| Mark { column: Ident::new(name).unwrap(), unset: unset.to_vec() };
    let mut state = StateMapping::from(StateShape::Always(Status::Completed));
    state.marks.push(mark("locked_at", &[]));
    let (working, settled) = ([Status::InProgress], [Status::Completed, Status::Failed]);
    assert_eq!(sql(&state, Dialect::Postgres, &working), r#""locked_at" IS NOT NULL"#);
    assert_eq!(sql(&state, Dialect::Postgres, &settled), r#"((1 = 1) AND "locked_at" IS NULL)"#);
    state.marks.push(mark("owner", &[Literal::Int(0)]));
    assert_eq!(
        sql(&state, Dialect::Postgres, &working),
        r#"("locked_at" IS NOT NULL OR ("owner" IS NOT NULL AND "owner" NOT IN ('0')))"#
    );
    state.shape = StateShape::Column {
        column: Ident::new("s").unwrap(),
        in_progress: text(&["open"]),
        completed: text(&["done"]),
        failed: vec![],
        keep: text(&["held"]),
        null: Some(Meaning::Kept),
    };
    state.marks.truncate(1);
    assert_eq!(
        sql(&state, Dialect::Sqlite, &working),
        "(`s` = 'open' OR (`s` = 'done' AND `locked_at` IS NOT NULL))"
    );
    assert_eq!(sql(&state, Dialect::Sqlite, &settled), "(`s` = 'done' AND `locked_at` IS NULL)");
    // A mark changes nothing about a value that nobody listed, nor about one that is kept.
    assert_eq!(sql(&state, Dialect::Sqlite, &Status::ALL), "`s` IN ('open', 'done')");
    let columns = Columns::owned(Dialect::Sqlite);
    assert_eq!(state.is_kept(&columns).unwrap(), "(`s` = 'held' OR `s` IS NULL)");
    let meaning = |stored: &str, marked| {
        state.meaning_of(Some(&Value::Text(Some(stored.to_owned()))), marked, &columns)
    };
    assert_eq!(meaning("done", true), Some(Meaning::Status(Status::InProgress)));
    assert_eq!(meaning("done", false), Some(Meaning::Status(Status::Completed)));
    assert_eq!((meaning("held", true), meaning("else", true)), (Some(Meaning::Kept), None));
}

#[test]
fn numbers_and_flags_are_themselves() {
    assert_eq!(Literal::Int(2).sql(Dialect::Postgres), "'2'");
    assert_eq!(Literal::Bool(true).sql(Dialect::Sqlite), "1");
    assert!(Literal::Bool(true).is("1") && Literal::Bool(true).is("true") && !Literal::Bool(true).is("t"));
}
