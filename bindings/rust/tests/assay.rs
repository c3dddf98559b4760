//! Tests of the binding: cargo test.
use assay::{assert_isolated, Answer, Failure, History, Limits, Outcome, Recorder, Verdict};
use std::time::Duration;

fn skew() -> History {
    let recorder = Recorder::new();
    std::thread::scope(|scope| {
        for (name, key) in [("a", "x"), ("b", "y")] {
            let mut session = recorder.session(name);
            scope.spawn(move || {
                session.begin();
                session.read_nil("x");
                session.read_nil("y");
                session.write_int(key, 1);
                session.end(Outcome::Committed);
            });
        }
    });
    recorder.finish().unwrap()
}

#[test]
fn three_lines() {
    assert_isolated!(skew(), "si");
    match skew().check("ser") {
        Err(Failure::Anomaly { verdict: Verdict::Violated, story }) => {
            assert!(story.contains("write skew"), "{story}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
#[should_panic(expected = "lost update")]
fn a_store_with_a_lost_update() {
    let recorder = Recorder::new();
    let mut counter = 0;
    let mut load = recorder.session("load");
    load.begin();
    load.write_int("counter", counter);
    load.end(Outcome::Committed);
    let seen = counter; // both clients read before either writes: the bug
    for client in 1..=2 {
        let mut session = recorder.session(&format!("client {client}"));
        session.begin();
        session.read_int("counter", seen);
        counter = seen + client;
        session.write_int("counter", counter);
        session.end(Outcome::Committed);
    }
    assert_isolated!(recorder.finish().unwrap(), "si");
}

#[test]
fn errors() {
    assert!(History::parse("{").is_err());
    assert!(History::load("/nonexistent").is_err());
    assert!(skew().check("nonsense").is_err());
    assert!(Recorder::new().finish().is_err());
    let unfinished = Recorder::new();
    unfinished.session("s").read_int("x", 1); // before begin
    assert!(unfinished.finish().is_err());
}

#[test]
fn lists_and_texts() {
    let recorder = Recorder::new();
    let mut session = recorder.session("s");
    session.begin();
    session.append_int("l", 5);
    session.write_text("k", "v");
    session.end(Outcome::Committed);
    session.begin();
    session.read_list_int("l", &[5]);
    session.read_text("k", "v");
    session.end(Outcome::Indeterminate);
    let history = recorder.finish().unwrap();
    assert_eq!(history.transactions(), 2);
    assert_isolated!(history, "strict-ser");
}

#[test]
fn recorded_in_part() {
    let recorder = Recorder::with_clock(false);
    let mut session = recorder.session("s");
    session.begin();
    session.name("pay-17");
    session.meta("{\"node\":1}");
    session.op_json("[\"w\",\"x\",1.5]");
    session.partial("which rows a statement did not find");
    session.end(Outcome::Committed);
    let history = recorder.finish().unwrap();
    let report = history.check("ser").unwrap();
    assert_eq!((report.verdict(), report.partial()), (Verdict::Holds, 1));
    assert_eq!(report.levels(), [("ser".to_string(), Verdict::Holds)]);
    let complete = Limits { complete: true, ..Limits::default() };
    assert_eq!(history.inspect("ser", complete).unwrap().verdict(), Verdict::Unknown);
}

#[test]
fn small_limits_are_limits() {
    let limits = Limits { memory: Some(0), ..Limits::default() };
    assert_eq!(skew().inspect("ser", limits).unwrap().verdict(), Verdict::Unknown);
    let limits = Limits { timeout: Some(Duration::MAX), work: Some(u64::MAX), ..Limits::default() };
    assert_eq!(skew().inspect("ser", limits).unwrap().verdict(), Verdict::Violated);
    assert!(skew().inspect("si\0,ser", Limits::default()).is_err());
}

#[test]
fn predictions() {
    let recorder = Recorder::new();
    for (name, key, seen) in [("a", "x", None), ("b", "y", Some(1))] {
        let mut session = recorder.session(name);
        session.begin();
        match seen {
            Some(value) => session.read_int("x", value),
            None => session.read_nil("x"),
        }
        session.read_nil("y");
        session.write_int(key, 1);
        session.end(Outcome::Committed);
    }
    let history = recorder.finish().unwrap();
    let mut found = history.predict("si", 1, Limits::default()).unwrap();
    assert_eq!(found.answer(), Answer::Predicted);
    let story = String::from_utf8(found.show("text").unwrap()).unwrap();
    assert!(story.contains("write skew"), "{story}");
    assert!(history.predict("ser", 1, Limits::default()).is_err());
}

/// Writes results for tests/bindings/compare.
#[test]
fn dump() {
    let (list, out) = match (std::env::var("ASSAY_LIST"), std::env::var("ASSAY_OUT")) {
        (Ok(list), Ok(out)) => (list, out),
        _ => return,
    };
    for (i, path) in std::fs::read_to_string(list).unwrap().lines().enumerate() {
        let history = History::load(path).unwrap();
        let mut report = history.inspect("all", Limits::default()).unwrap();
        let status = (report.verdict() as i32).to_string();
        std::fs::write(format!("{out}/{i}.status"), status).unwrap();
        for format in ["text", "json"] {
            let text = report.show(format).unwrap();
            std::fs::write(format!("{out}/{i}.{format}"), text).unwrap();
        }
        if let Ok(mut found) = history.predict("si", 1, Limits::default()) {
            std::fs::write(format!("{out}/{i}.predict-json"), found.show("json").unwrap()).unwrap();
        }
    }
}
