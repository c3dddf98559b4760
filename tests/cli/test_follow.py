#!/usr/bin/env python3
"""'assay follow': histories that are checked while they are written.

    test_follow.py ASSAY

What it says at the end of a history is what 'assay check' says of it.  While
the history grows, a violation is reported before the recorder ends.  Speaks
TAP.
"""
import json
import os
import pathlib
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
PATIENCE = 60  # seconds for what takes less than one on a quiet machine


def txn(session, ops, **more):
    return json.dumps({"session": session, **more, "ops": ops}) + "\n"


def generate(name, *words):
    subprocess.run([assay, "gen", "-o", name, *words], capture_output=True, check=True)


def follow(*words, given=None):
    return subprocess.run([assay, "follow", *words], input=given, capture_output=True, timeout=240, check=False)


def said(done):
    return done.stdout.decode() + done.stderr.decode()


class Running:
    """'assay follow' in the background, with its lines."""

    def __init__(self, *words):
        self.process = subprocess.Popen([assay, "follow", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.lines, self.all = queue.Queue(), []
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.lines.put(line)

    def waits_for(self, words):
        """Whether a line with these words comes."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit and not any(words in line for line in self.all):
            try:
                self.all.append(self.lines.get(timeout=0.2))
            except queue.Empty:
                if self.process.poll() is not None and self.lines.empty():
                    break
        return any(words in line for line in self.all)

    def ends(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE)
        return status

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=PATIENCE)


def same_as_check():
    """Complete histories from a pipe: the verdict is that of check."""
    random.seed(11)
    different, seen = [], set()
    for i in range(60):
        kind = random.choice(["", "lost-update", "long-fork", "write-skew", "fractured-read", "aborted-read",
                              "causality-violation", "thin-air-read"])
        level = random.choice(["rc", "ra", "cc", "pc", "si", "ser"])
        words = ["--txns", str(random.randrange(20, 300)), "--sessions", "5", "--keys", "20", "--seed", str(i)]
        if random.random() < 0.3:
            words += ["-l", "si", "--lag", "9"]
        generate("h.jsonl", *words, *(["--inject", kind] if kind else []))
        data = pathlib.Path("h.jsonl").read_bytes()
        expected = subprocess.run([assay, "check", "-q", "-l", level, "h.jsonl"], capture_output=True, check=False)
        found = follow("-q", "-l", level, "-", given=data)
        seen.add((expected.returncode, level))
        if found.returncode != expected.returncode:
            different.append((i, kind, level, expected.returncode, said(found)))
    check(not different and len(seen) >= 8, "60 histories: the exit status of 'check'", str(different))


def serial(n, keys, seed, sessions=9):
    """A serial history without end: the lines, and the values at the end."""
    draw, last = random.Random(seed), {}
    for i in range(n):
        ops = []
        for j, key in enumerate(draw.sample(range(keys), 3)):
            if draw.random() < 0.5:
                last[key] = 10 * i + j + 1
                ops.append(["w", key, last[key]])
            else:
                ops.append(["r", key, last.get(key)])
        yield txn(draw.randrange(sessions), ops)


def begin(name):
    out = open(name, "w", buffering=1)
    out.write('{"recording":"begin"}\n')
    return out


def growing_file():
    """Violations are reported while the file grows, at any distance from the version that was read."""
    for distance in (10, 1000, 10000):
        with begin("grows.jsonl") as out:
            running = Running("--settle", "0.2s", "--window", "512", "--status", "2", "grows.jsonl")
            out.write(txn("a", [["w", "x", 1]]))
            out.writelines(serial(distance, 100, distance))
            out.write(txn("b", [["r", "x", 1], ["w", "x", 2]]) + txn("c", [["r", "x", 1], ["w", "x", 3]]))
            check(running.waits_for("lost update"), f"a lost update of a version {distance} transactions old",
                  "".join(running.all[-5:]))
            running.all.clear()
            out.write(txn("p", [["r", "z", None], ["w", "z", 5]]) + txn("q", [["r", "z", None], ["w", "z", 6]]))
            check(running.waits_for("lost update"), f"and the next one, after {distance}", "".join(running.all[-5:]))
            check(running.waits_for('"lag"'), "status lines in JSON", "".join(running.all[-5:]))
            status = running.stop()
            check(status == 1, "^C ends it with the status of a violation", str(status))


def several_files():
    """Files of several recorders, one of which is idle, and one that comes last."""
    os.mkdir("several")
    outs = [begin(f"several/client-{i}.jsonl") for i in range(3)]
    running = Running("--settle", "0.3s", "several")
    at = 1000
    for i, line in enumerate(serial(600, 40, 3, sessions=1)):
        record = json.loads(line)
        record.update(session=f"s{i % 2}", start=at, end=at + 900)
        outs[i % 2].write(json.dumps(record) + "\n")
        at += 1000
    outs[2].write(txn("idle", [["r", "k", None], ["w", "k", 1]], start=at, end=at + 900))
    outs[0].write(txn("s0", [["r", "k", None], ["w", "k", 2]], start=at, end=at + 900))
    check(running.waits_for("lost update"), "a lost update between two recorders", "".join(running.all[-5:]))
    for out in outs:
        out.write('{"recording":"end"}\n')
        out.close()
    status = running.ends()
    check(status == 1, "it ends when all recordings are complete", str(status))


def forgotten():
    """What a window cannot decide is counted, and never 'ok'."""
    lines = [txn("a", [["w", "x", 1]]), txn("a", [["w", "x", 2]]), *serial(3000, 50, 5), txn("b", [["r", "x", 1]])]
    done = follow("--window", "16", "-", given="".join(lines).encode())
    check(done.returncode == 3 and "no order was found at 1 places" in said(done),
          "a read of a version that was forgotten: unknown", said(done))
    done = follow("--window", "512", "-", given="".join(lines).encode())
    check(done.returncode == 0, "it has a serial order, which a larger window finds", said(done))
    lines = [txn("a", [["w", "x", 1]]), *serial(3000, 50, 5), txn("b", [["r", "x", 1], ["w", "x", 2]]),
             txn("c", [["r", "x", 1], ["w", "x", 3]])]
    done = follow("--window", "16", "-l", "si", "-", given="".join(lines).encode())
    check(done.returncode == 1 and "lost update" in said(done), "a lost update of a forgotten writer's value", said(done))
    done = follow("--window", "16", "-l", "si", "--json", "-", given="".join(lines).encode())
    reasons = [result.get("reason") for result in json.loads(done.stdout.splitlines()[0])["results"]]
    check(reasons == ["provided that no value is written to a key twice"], "JSON has what it rests on", said(done))
    lines = [txn("b", [["r", "x", 7]]), *serial(300, 50, 5), txn("a", [["w", "x", 7]])]
    done = follow("--window", "16", "-", given="".join(lines).encode())
    check(done.returncode == 3, "a writer that comes too late: unknown, not violated", said(done))
    done = follow("--window", "512", "-", given="".join(lines).encode())
    check(done.returncode == 0, "one that comes in time: ok", said(done))


def restarts():
    """A run that is stopped and goes on from its checkpoint, several times, finds what 'check' finds."""
    random.seed(12)
    different, seen = [], set()
    for i in range(14):
        kind = random.choice(["", "", "lost-update", "long-fork", "write-skew", "causality-violation"])
        level = random.choice(["rc", "cc", "si", "ser"])
        window = random.choice(["64", "512"])
        generate("h.jsonl", "--txns", "300", "--sessions", "6", "--keys", "20", "--seed", str(i),
                 *(["--inject", kind, "--at", "0.9"] if kind else []))
        expected = subprocess.run([assay, "check", "-q", "-l", level, "h.jsonl"], capture_output=True, check=False)
        lines = pathlib.Path("h.jsonl").read_text().splitlines(True)
        cuts = sorted(random.sample(range(len(lines)), 3)) + [len(lines)]
        pathlib.Path("state").unlink(missing_ok=True)
        words = ["-q", "-l", level, "--window", window, "--settle", "0", "--checkpoint", "state", "parts.jsonl"]
        at, all_said = 0, ""
        for cut in cuts:
            with open("parts.jsonl", "a" if at else "w") as out:
                # The first part of a line is there, and the rest is not.
                out.write("".join(lines[at:cut])[9 if at else 0:])
                out.write(lines[cut][:9] if cut < len(lines) else "")
            at = cut
            running = Running("--status", "0.1", *words)
            running.waits_for(f'"transactions":{cut}')
            status = running.stop()
            all_said += "".join(running.all)
        seen.add((status, level))
        if status != expected.returncode or not os.path.exists("state"):
            different.append((i, kind, level, window, cuts, expected.returncode, status, all_said[-2000:]))
    check(not different and len(seen) >= 5, "14 histories with three restarts each: the exit status of 'check'",
          str(different))


def kept_state():
    """What a checkpoint is about, and what is said of one that does not fit."""
    def run(*words, more=()):
        running = Running("--status", "0.1", "--settle", "0", "--checkpoint", "k.state", *words)
        ok = all(running.waits_for(w) for w in more)
        return running.stop(), ok, "".join(running.all)
    with begin("k.jsonl") as out:
        out.write(txn("a", [["w", "x", "one"]]) + txn("b", [["r", "x", None]]) + txn("c", [["w", "y", "two"]]))
        status, ok, text = run("k.jsonl", more=['"transactions":3'])
        check(status == 0 and ok, "the first run", text)
        out.write(txn("d", [["r", "x", "one"], ["r", "y", "two"]]))
        status, ok, text = run("k.jsonl", more=['"transactions":4'])
        check(status == 0 and ok, "values, counts and the window are kept", text)
        out.write(txn("e", [["r", "x", "one"], ["w", "x", "3"]]) + txn("f", [["r", "x", "one"], ["w", "x", "4"]]))
        status, ok, text = run("k.jsonl", more=["lost update", '"violations":1'])
        check(status == 1 and ok, "a violation of versions from before the restart", text)
        status, ok, text = run("k.jsonl", more=['"transactions":6'])
        check(status == 1, "violations before the restart still count", text)
    done = follow("--checkpoint", "k.state", "-l", "si", "k.jsonl")
    check(done.returncode == 2 and "k.state: a checkpoint of --level ser and --window 8192" in said(done),
          "a checkpoint of another level", said(done))
    state = pathlib.Path("k.state").read_bytes()
    for at in range(0, len(state), len(state) // 40):
        pathlib.Path("bad.state").write_bytes(state[:at] + bytes([state[at] ^ 1]) + state[at + 1:])
        done = follow("--checkpoint", "bad.state", "k.jsonl")
        if done.returncode != 2 or b"bad.state: not a checkpoint" not in done.stderr:
            check(False, f"byte {at} is damaged", said(done))
            break
        pathlib.Path("bad.state").write_bytes(state[:at])
        done = follow("--checkpoint", "bad.state", "k.jsonl")
        if done.returncode != 2 or b"bad.state: not a checkpoint" not in done.stderr:
            check(False, f"only {at} bytes are left", said(done))
            break
    else:
        check(True, "damaged checkpoints are refused")
    text = pathlib.Path("k.jsonl").read_text()
    pathlib.Path("k.jsonl").write_text(text.replace("one", "uno"))
    done = follow("--checkpoint", "k.state", "k.jsonl")
    check(done.returncode == 2 and "k.jsonl: another file" in said(done), "the file is another one", said(done))
    pathlib.Path("k.jsonl").write_text(text[:-50])
    done = follow("--checkpoint", "k.state", "k.jsonl")
    check(done.returncode == 2 and "k.jsonl: shorter than it was" in said(done), "the file was cut", said(done))
    os.remove("k.jsonl")
    done = follow("--checkpoint", "k.state", "k.jsonl")
    check(done.returncode == 2 and "k.jsonl" in said(done), "the file is gone", said(done))
    running = Running("--status", "0.1", "--checkpoint", "pipe.state", "-")
    check(running.waits_for("a checkpoint needs files"), "a pipe has no checkpoint", "".join(running.all))
    running.ends()


def late_joiners():
    """Files that come later, sessions that join late and read old versions, and one that is idle in between."""
    os.mkdir("late")
    with begin("late/a.jsonl") as out:
        out.write(txn("a", [["w", "x", 1]]) + txn("idle", [["r", "x", 1]]))
        out.writelines(serial(2000, 50, 7, sessions=3))
        running = Running("--settle", "0.2s", "--status", "0.1", "--metrics", "m.prom", "late")
        running.waits_for('"transactions":2002')
        with begin("late/b.jsonl") as other:
            other.write(txn("b", [["r", "x", 1], ["w", "x", 2]]))
            check(running.waits_for('"transactions":2003'), "a file that is added is read", "".join(running.all[-3:]))
            out.write(txn("idle", [["r", "x", 1], ["w", "x", 3]]))
            check(running.waits_for("lost update"), "between a late joiner and an idle session",
                  "".join(running.all[-3:]))
            time.sleep(0.3)
    running.process.send_signal(signal.SIGUSR1)
    status = running.stop()
    check(status == 1, "violated", str(status))
    metrics = dict(line.split() for line in pathlib.Path("m.prom").read_text().splitlines() if line[0] != "#")
    check(metrics["assay_follow_transactions_total"] == "2004.000" and
          metrics["assay_follow_violations_total"] == "1.000" and float(metrics["assay_follow_memory_bytes"]) > 0,
          "counters as Prometheus text", str(metrics))


def test_follow():
    """'assay test --follow' reports a violation before its end."""
    begun = time.monotonic()
    words = [assay, "test", "store:si", "-w", "skew", "--keys", "4", "--pause", "0.005", "--follow", "-l", "ser"]
    process = subprocess.Popen([*words, "--time", "4"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    at = None
    for line in process.stderr:
        if "write skew" in line and at is None:
            at = time.monotonic() - begun
    out = process.stdout.read()
    status = process.wait(timeout=PATIENCE)
    total = time.monotonic() - begun
    check(status == 1 and at is not None and at < total - 1, "a violation is reported while the test runs",
          f"{status} {at} {total} {out}")
    for words, why in [(["-l", "strict-ser"], "not a strict one"), (["--shrink"], "takes none of")]:
        done = subprocess.run([assay, "test", "store:si", "--follow", *words], capture_output=True, text=True,
                              check=False)
        check(done.returncode == 2 and why in done.stderr, f"--follow with {words} is refused", done.stderr)


def refused():
    done = follow("-l", "strict-ser", "-", given=b"")
    check(done.returncode == 2 and "one level" in said(done), "a strict level is refused", said(done))
    done = follow("-l", "si,ser", "-", given=b"")
    check(done.returncode == 2 and "one level" in said(done), "two levels are refused", said(done))
    done = follow("none.jsonl")
    check(done.returncode == 2 and "none.jsonl" in said(done), "a file that does not exist", said(done))
    done = follow("-", given=b"")
    check(done.returncode == 3 and "nothing was tested" in said(done), "nothing was tested", said(done))
    done = follow("-", given=txn(1, [["append", "l", 1]]).encode())
    check(done.returncode == 2 and "a list cannot be streamed" in said(done), "lists are refused", said(done))


same_as_check()
growing_file()
several_files()
forgotten()
restarts()
kept_state()
late_joiners()
test_follow()
refused()
sys.exit(end())
