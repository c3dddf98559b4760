#!/usr/bin/env python3
"""'assay check --stream': inputs, shards, parts, and what it refuses.

    test_stream.py ASSAY

tests/model/test_stream.c compares verdicts; this is about everything around
them.  Speaks TAP.
"""
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)


def run(*words, given=None):
    return subprocess.run([assay, "check", *words], input=given, capture_output=True, timeout=240, check=False)


def said(done):
    return done.stdout.decode() + done.stderr.decode()


def verdicts(*words):
    done = run("--json", "--no-explain", *words)
    return {r["level"]: r["verdict"] for r in json.loads(done.stdout)["results"]}


def txn(session, ops, **more):
    return json.dumps({"session": session, **more, "ops": ops}) + "\n"


def generate(name, *words):
    subprocess.run([assay, "gen", "-o", name, *words], capture_output=True, check=True)


def write(name, *lines):
    pathlib.Path(name).write_text("".join(lines))


def inputs():
    """One history as a file, from a pipe, and compressed."""
    generate("u.jsonl", "--txns", "3000", "--sessions", "9", "--keys", "100")
    generate("u.txt", "--txns", "3000", "--sessions", "9", "--keys", "100")
    for name in ("u.jsonl", "u.txt"):
        data = pathlib.Path(name).read_bytes()
        pathlib.Path(name + ".gz").write_bytes(gzip.compress(data[:5000]) + gzip.compress(data[5000:]))
        for path, given in ((name, None), ("-", data), (name + ".gz", None), ("-", gzip.compress(data))):
            done = run("--stream", "--window", "64", path, given=given)
            if "this build has no zlib" in said(done):
                skip(f"{name} from {path}", "this build has no zlib")
                continue
            check(done.returncode == 0 and b"serializable: ok" in done.stdout, f"{name} from {path}", said(done))
    done = run("--stream", "-", given=gzip.compress(data)[:-9])
    if "this build has no zlib" in said(done):
        skip("truncated gzip is an error", "this build has no zlib")
        return
    check(done.returncode == 2 and "ends before it is complete" in said(done), "truncated gzip is an error", said(done))
    if not shutil.which("zstd"):
        skip("zstd", "there is no zstd")
        return
    subprocess.run(["zstd", "-q", "u.jsonl"], check=True)
    done = run("--stream", "u.jsonl.zst")
    check(done.returncode == 0, "zstd", said(done))
    packed = pathlib.Path("u.jsonl.zst").read_bytes()
    done = run("--stream", "-", given=packed[:-9])
    check(done.returncode == 2, "truncated zstd is an error", said(done))


def same_as_check():
    """Generated histories with an anomaly: both ways say the same."""
    for kind in ("lost-update", "long-fork", "write-skew", "fractured-read", "causality-violation", "aborted-read",
                 "thin-air-read"):
        generate(f"{kind}.jsonl", "--txns", "400", "--sessions", "6", "--keys", "40", "--inject", kind)
        there, here = verdicts("-l", "all", f"{kind}.jsonl"), verdicts("-l", "all", "--stream", f"{kind}.jsonl")
        check(there == here, f"{kind}: all levels as without --stream", f"{there}\n{here}")
    for lag in ("5", "40"):
        generate("si.jsonl", "-l", "si", "--lag", lag, "--txns", "3000", "--sessions", "9", "--keys", "50")
        there, here = verdicts("-l", "all", "si.jsonl"), verdicts("-l", "all", "--stream", "si.jsonl")
        check(there == here, f"a history made at si, lag {lag}", f"{there}\n{here}")


def parts():
    """A violation comes with a part that others can check."""
    done = run("--stream", "-l", "si", "--part", "part.jsonl", "--certificate", "proof.txt", "lost-update.jsonl")
    check(done.returncode == 1 and b"violated: lost update" in done.stdout, "a violation is explained", said(done))
    done = run("-l", "si", "part.jsonl")
    check(done.returncode == 1, "its part is violated as well", said(done))
    done = subprocess.run([assay, "certify", "part.jsonl", "proof.txt"], capture_output=True, check=False)
    check(done.returncode == 0, "and its certificate is accepted", said(done))
    done = run("--stream", "--part", "none.jsonl", "u.jsonl")
    check(done.returncode == 0 and not os.path.exists("none.jsonl") and "no part is written" in said(done),
          "where nothing is violated, no part is written", said(done))
    done = run("--stream", "-l", "si", "-", given=pathlib.Path("lost-update.jsonl").read_bytes())
    check(done.returncode == 3 and "cannot be read again" in said(done),
          "a pipe cannot be read again: unknown", said(done))


def certify(*words):
    return subprocess.run([assay, "certify", *words], capture_output=True, check=False)


def orders():
    """The order that shows 'ok' is a file, which 'certify' checks in one pass."""
    generate("skewed.jsonl", "-l", "si", "--lag", "9", "--txns", "3000", "--sessions", "9", "--keys", "50")
    for name, level in (("u.jsonl", "ser"), ("u.txt", "strict-ser"), ("u.jsonl", "cc"), ("skewed.jsonl", "si"),
                        ("skewed.jsonl", "rc"), ("skewed.jsonl", "ra"), ("skewed.jsonl", "cc"), ("skewed.jsonl", "pc"),
                        ("skewed.jsonl", "psi")):
        done = run("--stream", "--window", "64", "-l", level, "--certificate", "order.txt", name)
        if level == "strict-ser":
            check(done.returncode == 2 and "has none" in said(done), "a strict level without times is refused",
                  said(done))
            continue
        check(done.returncode == 0, f"{name}: {level}: an order is written", said(done))
        done = certify(name, "order.txt")
        check(done.returncode == 0 and b"certified" in done.stdout, f"{name}: {level}: it is accepted", said(done))
    run("--stream", "--window", "64", "-l", "ser", "--certificate", "order.txt", "u.jsonl")
    order = pathlib.Path("order.txt").read_text()
    last = order.splitlines()[-2].split("-")[-1]
    forged = {
        "a transaction is missing": (order.replace(f"{last}\n", f"{int(last) - 1}\n").replace("end 3000", "end 2999"), "has no place"),
        "a transaction comes twice": (order.replace("end 3000", "place 7\nend 3001"), "has a place already"),
        "one that does not exist": (order.replace("end 3000", "place 99999\nend 3001"), "is not one that"),
    }
    for name, (text, expected) in forged.items():
        write("forged.txt", text)
        done = certify("u.jsonl", "forged.txt")
        check(done.returncode == 1 and expected in said(done), f"forged: {name}", said(done))
    bad = {
        "no end": (order.replace("end 3000\n", ""), "ends before 'end'"),
        "a wrong count": (order.replace("end 3000", "end 4"), "4 places at the end"),
        "an unknown level": (order.replace("serializable", "perfect"), "the name of a level"),
        "a leading zero": (order.replace("place 0", "place 00"), "place A-B"),
        "a backward range": (order.replace("end", "place 9-3\nend"), "place A-B"),
        "more after the end": (order + "place 1\n", "nothing after"),
        "a window that is too large": (order.replace("window ", "window 99999999999"), "a window"),
    }
    for name, (text, expected) in bad.items():
        write("forged.txt", text)
        done = certify("u.jsonl", "forged.txt")
        check(done.returncode == 2 and expected in said(done), f"bad order: {name}", said(done))
    done = run("--stream", "-l", "si,ser", "--certificate", "c", "u.jsonl")
    check(done.returncode == 2 and "exactly one level" in said(done), "one level for a certificate", said(done))
    done = run("--stream", "-l", "si", "--certificate", "c", "lost-update.jsonl")
    check(done.returncode == 1 and "give --part" in said(done) and not os.path.exists("c"),
          "a violation needs a part for its certificate", said(done))


def serial(txns, keys, lost_update):
    """A serial history; then with two transactions that read one version of a key and overwrite it."""
    random.seed(5)
    last = {}
    for i in range(txns):
        ops = []
        for j, key in enumerate(random.sample(range(keys), 4)):
            old = last.get(key)
            if lost_update and i == txns // 2 + 1 and j == 0:
                key, old = lost
                ops.append(["r", key, old])
            if lost_update and i == txns // 2 and j == 0:
                lost = key, old
                ops.append(["r", key, old])
            if random.random() < 0.5 or i in (txns // 2, txns // 2 + 1):
                last[key] = 10 * i + j + 1
                ops.append(["w", key, last[key]])
            else:
                ops.append(["r", key, old])
        yield random.randrange(24), ops


def write_shards(name, history, skew, n=6):
    """One file per client machine, whose clocks differ by up to 'skew' transactions."""
    lines = [[] for _ in range(n)]
    ahead = [random.Random(skew + i).randrange(-1000 * skew, 1000 * skew + 1) for i in range(n)]
    for i, (session, ops) in enumerate(history):
        at = 100000000 + 1000 * i + ahead[session % n]
        lines[session % n].append(txn(session, ops, start=at, end=at + 900))
    os.makedirs(name)
    for shard in range(n):
        write(f"{name}/client-{shard}.jsonl", *lines[shard])


def skewed():
    """Shards of machines whose clocks differ; a single file is in the order of these clocks."""
    for skew in (0, 10, 100, 1000):
        for keys in (600, 6000):
            for lost in (False, True):
                name = f"skew-{skew}-{keys}-{lost}"
                write_shards(name, serial(5000, keys, lost), skew)
                lines = [x for f in sorted(pathlib.Path(name).iterdir()) for x in f.read_text().splitlines(True)]
                write(name + ".jsonl", *sorted(lines, key=lambda x: json.loads(x)["end"]))
                for path in (name, name + ".jsonl"):
                    found = verdicts("--stream", "-l", "cc,ser" if not lost else "si,ser", path)
                    expected = "violated" if lost else "ok"
                    check(set(found.values()) == {expected}, f"{path}: {expected}", str(found))
    run("--stream", "-l", "ser", "--certificate", "order.txt", "skew-1000-600-False")
    done = certify("skew-1000-600-False", "order.txt")
    check(done.returncode == 0, "the order of skewed shards is accepted", said(done))


def shards():
    """One file per client machine."""
    write_shards("shards", serial(3000, 300, False), 20, n=3)
    done = run("--stream", "--stats", "shards")
    check(done.returncode == 0 and "shards: serializable: ok" in said(done), "three shards are merged", said(done))
    write("shards/twice.jsonl", txn(1, [["r", 1, None]], start=1, end=2))
    done = run("--stream", "shards")
    check(done.returncode == 2 and "session 1 is in" in said(done), "a session in two shards is an error", said(done))
    write("shards/twice.jsonl", txn(77, [["r", 1, None]]))
    done = run("--stream", "shards")
    check(done.returncode == 2 and "merged by time" in said(done), "shards need times", said(done))


def refused():
    """What a stream does not take is named."""
    cases = {
        "list": (txn(1, [["append", "l", 1]]), "a list cannot be streamed"),
        "read-list": (txn(1, [["r", "l", [1]]]), "a list or a row cannot be streamed"),
        "row": (txn(1, [["i", ["t", 1], {"v": 1}]]), "a row cannot be streamed"),
        "boolean": (txn(1, [["w", "x", True]]), "a boolean or an object cannot be streamed"),
        "fraction": (txn(1, [["w", "x", 1.5]]), "a number with a fraction"),
        "array": ("[" + txn(1, [["w", "x", 1]]) + "]", "an array around all lines"),
        "torn": (txn(1, [["w", "x", 1]]) + '{"session":1,', "expected"),
        "mixed": ("w(1,1,0,3)\nw(1,2,1,4)\nw(2,1,0,3)\n", "must be together"),
        "hist": ("[x:=1]\n---\n[x==1]\n", "format 'hist' cannot be streamed"),
    }
    for name, (text, expected) in cases.items():
        write(name, text)
        done = run("--stream", *(["-f", "jsonl"] if name == "array" else []), name)
        check(done.returncode == 2 and expected in said(done), f"{name} is refused by name", said(done))
    for words in (["--timeout", "1"], ["--memory", "1G"], ["--no-session-order"]):
        done = run("--stream", *words, "u.jsonl")
        check(done.returncode == 2, f"--stream with {words[0]} is refused", said(done))


def recorded_shards():
    """'assay test --shards' writes whole sessions, one file each, and checks them like one file."""
    for target, level, expected in [("store:ser", "ser", 0), ("store:si", "ser", 1), ("store:si", "si", 0)]:
        name = f"rec-{target[6:]}-{level}"
        words = ["-w", "skew", "--keys", "4", "--txns", "400", "--pause", "0.0005", "--sessions", "5", "-l", level]
        done = subprocess.run([assay, "test", target, "--shards", name, *words], capture_output=True, text=True,
                              check=False)
        files = sorted(os.listdir(name))
        check(done.returncode == expected and files == [f"s{i}.jsonl" for i in range(1, 6)],
              f"{target} at {level}: {files}", done.stdout + done.stderr)
        lines, whole = [], True
        for file in files:
            text = pathlib.Path(name, file).read_text().splitlines()
            whole &= text[0] == '{"recording":"begin"}' and text[-1] == '{"recording":"end"}'
            lines += text[1:-1]
            whole &= len({str(json.loads(line)["session"]).split("-")[0] for line in text[1:-1]}) == 1
        pathlib.Path("merged.jsonl").write_text("\n".join(lines) + "\n")
        again = subprocess.run([assay, "check", "-q", "-l", level, "merged.jsonl"], capture_output=True, text=True,
                               check=False)
        check(whole and again.returncode == expected, "'check' of the merged files agrees", again.stdout)
    done = subprocess.run([assay, "test", "store:ser", "--shards", name], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "expected a new or an empty directory" in done.stderr,
          "shards of another run are not mixed with new ones", done.stderr)
    done = subprocess.run([assay, "test", "store:ser", "--shards", "x", "--keep", "y"], capture_output=True, text=True,
                          check=False)
    check(done.returncode == 2 and "--shards takes none of" in done.stderr, "--shards and --keep", done.stderr)
    done = subprocess.run([assay, "test", "store:si", "--shards", "both", "--follow", "-w", "skew", "--keys", "4",
                           "--pause", "0.005", "--time", "3"], capture_output=True, text=True, check=False)
    check(done.returncode == 1 and "the run so far: serializable: violated" in done.stderr,
          "shards are followed while they are written", done.stderr[:2000])


def outcomes():
    """Outcomes that follow, that never come, and that come too late."""
    begin, finish = '{"recording":"begin"}\n', '{"recording":"end"}\n'
    pending = txn("a", [["w", "x", 1]], status="unknown")
    committed = '{"session":"a","status":"committed"}\n'
    write("known.jsonl", begin, pending, committed, txn("b", [["r", "x", 1]]), finish)
    check(verdicts("--stream", "known.jsonl") == {"ser": "ok"}, "an outcome that follows")
    write("seen.jsonl", pending, txn("b", [["r", "x", 1]]))
    check(verdicts("--stream", "seen.jsonl") == {"ser": "ok"}, "an indeterminate writer that was read")
    write("aborted.jsonl", pending, committed.replace("committed", "aborted"), txn("b", [["r", "x", 1]]))
    check(verdicts("--stream", "aborted.jsonl") == {"ser": "violated"}, "an aborted writer that was read")
    others = [txn("b", [["w", "y", i]]) for i in range(40)]
    write("late.jsonl", pending, *others, committed)
    done = run("--stream", "--window", "4", "late.jsonl")
    check(done.returncode == 3 and "larger --window" in said(done), "an outcome that is too late: unknown", said(done))
    write("cut.jsonl", begin, txn("b", [["r", "x", 7]]), '{"session":"b","op')
    done = run("--stream", "cut.jsonl")
    check(done.returncode == 3 and "was cut" in said(done), "a recording that was cut", said(done))
    write("nothing.jsonl", txn("a", [["w", "x", 1]], status="aborted"))
    done = run("--stream", "nothing.jsonl")
    check(done.returncode == 3 and "nothing was tested" in said(done), "nothing was tested", said(done))


inputs()
same_as_check()
parts()
orders()
shards()
recorded_shards()
skewed()
refused()
outcomes()
sys.exit(end())
