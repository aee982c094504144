use super::*;

#[track_caller]
fn reads(field: &Field, text: &str, list: &str) {
    assert_eq!(field.read(text).map(|values| values.list(field, 0)).as_deref(), Ok(list), "{text}");
}

#[test]
fn values_ranges_and_steps() {
    reads(&MINUTE, "*", "*");
    reads(&MINUTE, "0-59", "*");
    reads(&MINUTE, "7", "7");
    reads(&MINUTE, "007", "7");
    reads(&MINUTE, "*/20", "0,20,40");
    reads(&MINUTE, "*/90", "0");
    reads(&MINUTE, "10-30/7", "10,17,24");
    reads(&MINUTE, "5-5/3,1", "1,5");
    reads(&HOUR, "22-23,0-2", "0,1,2,22,23");
    reads(&MONTH, "JAN-mar,Dec", "1,2,3,12");
    reads(&MONTH, "11-dec", "11,12");
}

#[test]
fn sunday_is_0_and_7() {
    reads(&DAY_OF_WEEK, "7", "0");
    reads(&DAY_OF_WEEK, "0,7", "0");
    reads(&DAY_OF_WEEK, "5-7", "0,5,6");
    reads(&DAY_OF_WEEK, "fri-sun", "0,5,6");
    reads(&DAY_OF_WEEK, "6-0", "0,6");
    reads(&DAY_OF_WEEK, "sun-tue", "0,1,2");
    reads(&DAY_OF_WEEK, "1-7/2", "0,1,3,5");
    reads(&DAY_OF_WEEK, "*/7", "0");
    reads(&DAY_OF_WEEK, "0-6", "*");
    reads(&DAY_OF_WEEK, "1-7", "*");
}

#[test]
fn a_wildcard_is_what_starts_with_a_star() {
    for (text, starred) in [("*", true), ("*/2", true), ("*,5", true), ("5,*", false), ("0-59", false)] {
        assert_eq!(MINUTE.read(text).map(|values| values.starred), Ok(starred), "{text}");
    }
}

#[test]
fn refusals_say_what_to_write() {
    for (field, text, wanted) in [
        (&MINUTE, "60", "\"60\" is not a number from 0 to 59"),
        (&MINUTE, "99999999999", "\"99999999999\" is not a number from 0 to 59"),
        (&MINUTE, "+5", "\"+5\" is not a number from 0 to 59"),
        (&MINUTE, "1,,2", "\"1,,2\" has a comma too many"),
        (&MINUTE, "5/15", "a step needs a range before it: 5-59/15 or */15 instead of \"5/15\""),
        (&MINUTE, "*/0", "the step \"0\" is not a whole number from 1 on"),
        (&MINUTE, "*/", "the step \"\" is not a whole number from 1 on"),
        (&MINUTE, "1--5", "\"-5\" is not a number from 0 to 59"),
        (&HOUR, "22-2", "the range 22-2 runs backwards; write 22-23,0-2"),
        (&DAY_OF_WEEK, "fri-mon", "the range fri-mon runs backwards; write fri-sat,sun-mon"),
        (&DAY_OF_WEEK, "6-1", "the range 6-1 runs backwards; write sat,sun-mon"),
        (&DAY_OF_WEEK, "7-1", "the range 7-1 runs backwards; write sun-mon"),
        (&MONTH, "nov-feb", "the range nov-feb runs backwards; write nov-dec,jan-feb"),
        (
            &DAY_OF_WEEK,
            "monday",
            "\"monday\" is neither a number from 0 to 7 nor one of sun mon tue wed thu fri sat",
        ),
        (&DAY_OF_MONTH, "0", "\"0\" is not a number from 1 to 31"),
        (&DAY_OF_MONTH, "L", "\"L\" is not a number from 1 to 31"),
    ] {
        assert_eq!(field.read(text).unwrap_err(), wanted);
    }
}
