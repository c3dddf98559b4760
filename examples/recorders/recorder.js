// Record transactions for 'assay check', a line each.
const fs = require("fs");

class Recorder {
  constructor(path) { this.fd = fs.openSync(path, "w"); this.unknown = 0; }

  transaction(session, ops, status = "committed", times = {}) {
    // It may take effect after what the session does next, so it gets a session of its own.
    if (status === "unknown") session += `-unknown-${++this.unknown}`;
    // times: { start, end }, integers of any one clock
    fs.writeSync(this.fd, JSON.stringify({ session, ops, status, ...times }) + "\n");
  }
}

// Two clients deposit at the same time.
const r = new Recorder(process.argv[2]);
r.transaction("setup", [["w", "balance", 100]]);
r.transaction("ann", [["r", "balance", 100], ["w", "balance", 110]]);
r.transaction("bob", [["r", "balance", 100], ["w", "balance", 120]]);
