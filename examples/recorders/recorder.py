"""Record transactions for 'assay check', a line each."""
import json, threading, time

class Recorder:
    def __init__(self, path):
        self.file, self.lock = open(path, "w"), threading.Lock()
        self.unknown = 0  # transactions of unknown outcome

    def transaction(self, session, ops, status="committed", start=None):
        line = {"session": session, "ops": ops, "status": status}
        if start is not None:
            line.update(start=start, end=time.monotonic_ns())
        with self.lock:
            if status == "unknown":
                # It may take effect after what the session does next, so it
                # gets a session of its own.
                self.unknown += 1
                line["session"] = f"{session}-unknown-{self.unknown}"
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

if __name__ == "__main__":  # two clients deposit at the same time
    import sys
    r = Recorder(sys.argv[1])
    r.transaction("setup", [["w", "balance", 100]])
    r.transaction("ann", [["r", "balance", 100], ["w", "balance", 110]])
    r.transaction("bob", [["r", "balance", 100], ["w", "balance", 120]])
