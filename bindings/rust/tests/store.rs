//! A key-value store with a bug, a test that finds it, and one that shrinks what
//! it finds: examples to copy.
//!
//! Transactions read from a snapshot.  A commit should fail where another one has
//! written one of its keys since; with the bug it compares with the wrong clock.
use assay::{assert_isolated, Failure, History, Outcome, Recorder, Session};
use std::collections::HashMap;

#[derive(Default)]
struct Store {
    bug: bool,
    clock: u64,
    data: HashMap<&'static str, i64>,
    written: HashMap<&'static str, u64>,
}

#[derive(Default)]
struct Txn {
    began: u64,
    snapshot: HashMap<&'static str, i64>,
    writes: HashMap<&'static str, i64>,
}

impl Store {
    fn begin(&self) -> Txn {
        Txn { began: self.clock, snapshot: self.data.clone(), writes: HashMap::new() }
    }

    fn commit(&mut self, t: Txn) -> Outcome {
        let limit = t.began + u64::from(self.bug);
        if t.writes.keys().any(|k| self.written.get(k).copied().unwrap_or(0) > limit) {
            return Outcome::Aborted;
        }
        self.clock += 1;
        for (k, v) in t.writes {
            self.data.insert(k, v);
            self.written.insert(k, self.clock);
        }
        Outcome::Committed
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Read(usize, &'static str),
    Write(usize, &'static str),
    Commit(usize),
}

struct Client<'a> {
    session: Session<'a>,
    txn: Option<Txn>,
}

impl Client<'_> {
    fn txn(&mut self, store: &Store) -> &mut Txn {
        if self.txn.is_none() {
            self.session.begin();
        }
        self.txn.get_or_insert_with(|| store.begin())
    }
}

/// Run the steps, then commit what is open.
fn run(steps: &[Step], bug: bool) -> History {
    let recorder = Recorder::new();
    let mut store = Store { bug, ..Store::default() };
    let mut clients: Vec<Client> =
        (0..2).map(|i| Client { session: recorder.session(&format!("client {i}")), txn: None }).collect();
    let end = [Step::Commit(0), Step::Commit(1)];
    for (number, step) in steps.iter().chain(&end).enumerate() {
        match *step {
            Step::Read(c, key) => {
                let txn = clients[c].txn(&store);
                match txn.writes.get(key).or(txn.snapshot.get(key)).copied() {
                    Some(value) => clients[c].session.read_int(key, value),
                    None => clients[c].session.read_nil(key),
                }
            }
            Step::Write(c, key) => {
                let value = number as i64 + 1; // each value is written once
                clients[c].txn(&store).writes.insert(key, value);
                clients[c].session.write_int(key, value);
            }
            Step::Commit(c) => {
                if let Some(txn) = clients[c].txn.take() {
                    let outcome = store.commit(txn);
                    clients[c].session.end(outcome);
                }
            }
        }
    }
    drop(clients);
    recorder.finish().unwrap()
}

const AT_ONCE: [Step; 4] =
    [Step::Read(0, "x"), Step::Read(1, "x"), Step::Write(0, "x"), Step::Write(1, "x")];

#[test]
fn the_store_without_the_bug() {
    assert_isolated!(run(&AT_ONCE, false), "si");
}

#[test]
#[should_panic(expected = "lost update")]
fn the_bug_is_found() {
    assert_isolated!(run(&AT_ONCE, true), "si");
}

fn fails(steps: &[Step]) -> bool {
    matches!(run(steps, true).check("si"), Err(Failure::Anomaly { story, .. }) if story.contains("lost update"))
}

/// Random steps until a run fails; then steps are left out while it still fails.
#[test]
fn random_steps_shrink_to_four() {
    let mut seed = 1u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut steps = loop {
        let steps: Vec<Step> = (0..30)
            .map(|_| {
                let (client, key) = (random(2) as usize, ["x", "y"][random(2) as usize]);
                match random(3) {
                    0 => Step::Read(client, key),
                    1 => Step::Write(client, key),
                    _ => Step::Commit(client),
                }
            })
            .collect();
        if fails(&steps) {
            break steps;
        }
    };
    while let Some(i) = (0..steps.len()).find(|&i| {
        let mut fewer = steps.clone();
        fewer.remove(i);
        !fewer.is_empty() && fails(&fewer)
    }) {
        steps.remove(i);
    }
    assert!(steps.len() <= 5, "{steps:?}");
}
