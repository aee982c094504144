use super::*;

fn canonical(text: &str) -> String {
    canonicalize(text.as_bytes()).unwrap()
}

#[test]
fn follows_rfc_8785() {
    // The example of section 3.2.2 and 3.2.3.
    let document = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    assert_eq!(
        canonical(document),
        r#"{"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
    let sorted = canonical(r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#);
    assert_eq!(sorted, "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}");
}

#[test]
fn numbers_of_one_value_meet_and_others_stay_apart() {
    for same in ["10", "10.0", "1e1", "1.0E+1", "100e-1"] {
        assert_eq!(canonical(same), "10", "{same}");
    }
    for zero in ["-0.0", "0e99999999999999999999", "-0.00e-99999999999999999999"] {
        assert_eq!(canonical(zero), "0", "{zero}");
    }
    // Beyond a double's exact range nothing is rounded together.
    assert_eq!(canonical("9007199254740993"), "9007199254740993");
    assert_ne!(canonical("9007199254740993"), canonical("9007199254740992"));
    assert_ne!(canonical("0.1"), canonical("0.10000000000000000001"));
    assert_eq!(canonical("1e400"), "1e400");
    assert_eq!(canonical("1e-400"), "1e-400");
    assert_eq!(canonical("1e99999999999999999999"), "1e99999999999999999999");
}

/// What is in the middle of a hundred brackets is read once, and not a hundred times.
#[test]
fn depth_does_not_multiply_the_cost() {
    let items = "1,".repeat(100_000);
    let cost = |open: &str, close: &str| {
        let document = format!("{}[{items}1]{}", open.repeat(95), close.repeat(95));
        let best = (0..5).map(|_| {
            let started = std::time::Instant::now();
            canonicalize(document.as_bytes()).unwrap();
            started.elapsed()
        });
        best.min().unwrap()
    };
    let flat = cost("", "");
    for (open, close) in [("[", "]"), (r#"{"b":0,"a":"#, "}")] {
        let deep = cost(open, close);
        assert!(deep < flat * 5, "{deep:?} against {flat:?} in {open}");
    }
}

#[test]
fn refuses_what_receivers_would_read_differently() {
    for bad in ["", "{", r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":2}"#, "1 2", "\"\\ud800\"", "NaN"] {
        assert!(canonicalize(bad.as_bytes()).is_err(), "{bad}");
    }
    assert!(canonicalize(b"\"\xff\"").is_err());
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    assert!(canonicalize(deep.as_bytes()).is_err());
    let allowed = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(canonicalize(allowed.as_bytes()).is_ok());
}
