// Record transactions for 'assay check', a line each.
use std::{env, fs::File, io::Write, sync::Mutex};

struct Recorder(Mutex<(File, u32)>); // and the number of unknown outcomes

impl Recorder {
    // ops is JSON: [["r","balance",100],["w","balance",110]]
    fn transaction(&self, session: &str, ops: &str, status: &str) -> std::io::Result<()> {
        let mut inner = self.0.lock().unwrap();
        // It may take effect after what the session does next, so it gets a session of its own.
        inner.1 += (status == "unknown") as u32;
        let own = if status == "unknown" { format!("-unknown-{}", inner.1) } else { String::new() };
        let line = format!("{{\"session\":\"{session}{own}\",\"ops\":{ops},\"status\":\"{status}\"}}\n");
        inner.0.write_all(line.as_bytes())
    }
}

// Two clients deposit at the same time.
fn main() -> std::io::Result<()> {
    let r = Recorder(Mutex::new((File::create(env::args().nth(1).unwrap())?, 0)));
    r.transaction("setup", r#"[["w","balance",100]]"#, "committed")?;
    r.transaction("ann", r#"[["r","balance",100],["w","balance",110]]"#, "committed")?;
    r.transaction("bob", r#"[["r","balance",100],["w","balance",120]]"#, "committed")
}
