// Record transactions for 'assay check', a line each.
use std::{env, fs::File, io::Write, sync::Mutex};

struct Recorder(Mutex<File>);

impl Recorder {
    // ops is JSON: [["r","balance",100],["w","balance",110]]
    fn transaction(&self, session: &str, ops: &str, status: &str) -> std::io::Result<()> {
        let line = format!("{{\"session\":\"{session}\",\"ops\":{ops},\"status\":\"{status}\"}}\n");
        self.0.lock().unwrap().write_all(line.as_bytes())
    }
}

// Two clients deposit at the same time.
fn main() -> std::io::Result<()> {
    let r = Recorder(Mutex::new(File::create(env::args().nth(1).unwrap())?));
    r.transaction("setup", r#"[["w","balance",100]]"#, "committed")?;
    r.transaction("ann", r#"[["r","balance",100],["w","balance",110]]"#, "committed")?;
    r.transaction("bob", r#"[["r","balance",100],["w","balance",120]]"#, "committed")
}
