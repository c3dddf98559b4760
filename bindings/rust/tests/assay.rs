//! Tests of the binding: cargo test.
use assay::{assert_isolated, Failure, History, Limits, Outcome, Recorder, Verdict};

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

/// Writes results for tests/bindings/compare.
#[test]
fn dump() {
    let (Ok(list), Ok(out)) = (std::env::var("ASSAY_LIST"), std::env::var("ASSAY_OUT")) else {
        return;
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
    }
}
