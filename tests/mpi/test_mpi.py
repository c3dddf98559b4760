#!/usr/bin/env python3
"""'assay-mpi check' writes the same bytes as 'assay check', for any number of processes.

    test_mpi.py ASSAY ASSAY-MPI [COUNT [SEED [RANKS]]]

COUNT random histories (40) for each of 1 to RANKS (4) processes; 300 is a long
run.  Then directories, texts, mistakes, memory and a killed process.  Speaks
TAP.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay, assay_mpi = (os.path.abspath(p) for p in sys.argv[1:3])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
most = int(sys.argv[5]) if len(sys.argv) > 5 else 4
if not shutil.which("mpirun"):
    skip("mpirun is not installed")
    sys.exit(end())
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="vader,self",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")


def mpi(n, *words, **more):
    return subprocess.run(["mpirun", "-q", "--oversubscribe", "-n", str(n), assay_mpi, "check", *words],
                          capture_output=True, text=True, env=environment, timeout=570, check=False,
                          stdin=subprocess.DEVNULL, **more)


def plain(*words):
    return subprocess.run([assay, "check", *words], capture_output=True, text=True, timeout=570, check=False)


def fast(done):
    """How many histories were decided without the engines, from --stats."""
    stale = len(re.findall(r"^  engines, .*do not fit the order$", done.stderr, re.M))
    return len(re.findall(r"^  records ", done.stderr, re.M)) - stale


# --- histories ---------------------------------------------------------------


def run(draw, at_random):
    """Transactions of a serial run: (session, reads and writes); then some damage."""
    keys, sessions = draw.randint(1, 6), draw.randint(1, 4)
    last, txns, fresh = {}, [], 0
    lag = draw.choice([0, 0, 1, 2, 4]) # commits that a snapshot may be behind
    states = [{}]
    for _ in range(draw.randint(1, 14)):
        ops, snapshot = [], states[-1 - min(draw.randint(0, lag), len(states) - 1)]
        own = {}
        for _ in range(draw.randint(1, 5)):
            key = draw.randrange(keys)
            if draw.random() < 0.5:
                fresh += 1
                own[key] = draw.randint(1, 4) if at_random else fresh
                ops.append(["w", key, own[key]])
            else:
                ops.append(["r", key, own.get(key, snapshot.get(key))])
        last.update(own)
        states.append(dict(last))
        txns.append([draw.randrange(sessions), ops])
    damage = draw.random()
    if damage < 0.3:
        ops = draw.choice(txns)[1]
        op = draw.choice(ops)
        op[2] = draw.choice([None, draw.randint(1, fresh + 1)]) if op[0] == "r" else draw.randint(1, fresh + 1)
    elif damage < 0.55:
        i, j = draw.randrange(len(txns)), draw.randrange(len(txns))
        txns[i], txns[j] = txns[j], txns[i]
    return txns


def as_text(draw, txns):
    """One line per operation; numbers of transactions rise, unless they do not."""
    numbers = list(range(1, len(txns) + 1))
    if draw.random() < 0.1:
        draw.shuffle(numbers)
    out = []
    for number, (session, ops) in zip(numbers, txns):
        number = -1 if draw.random() < 0.05 else number
        out += [f"{kind}({key},{value or 0},{session},{number})\n" for kind, key, value in ops]
    if draw.random() < 0.05:
        draw.shuffle(out)
    return "".join(out)


def as_jsonl(draw, txns):
    texts, times = draw.random() < 0.4, draw.random() < 0.5
    name = (lambda x: "k" * (x % 5) + str(x)) if texts else (lambda x: x)
    out, at = [], 100
    for i, (session, ops) in enumerate(txns):
        line = {"session": name(session)}
        if draw.random() < 0.05:
            line["status"] = draw.choice(["aborted", "unknown"])
        if times:
            line.update(start=at, end=at + draw.choice([5, 9, 60]))
            at += 10
        line["ops"] = [[kind, name(key), value if value is None or draw.random() < 0.02 else name(value)]
                       for kind, key, value in ops]
        out.append(json.dumps(line) + "\n")
    return "".join(out)


def same_bytes():
    draw = random.Random(seed)
    names = []
    for i in range(count):
        txns = run(draw, draw.random() < 0.3)
        is_text = draw.random() < 0.4
        names.append(f"h{i}.{'txt' if is_text else 'jsonl'}")
        pathlib.Path(names[-1]).write_text((as_text if is_text else as_jsonl)(draw, txns))
    for levels in ("rc,cc,pc", "ra,psi,si", "all"):
        expected = plain("-l", levels, *names)
        seen = []
        for n in range(1, most + 1):
            found = mpi(n, "--stats", "-l", levels, *names)
            seen.append(fast(found))
            same = found.stdout == expected.stdout and found.returncode == expected.returncode
            where = [line for line in zip(found.stdout.splitlines(), expected.stdout.splitlines())
                     if line[0] != line[1]][:1]
            check(same, f"{n} processes, {levels}: {count} histories, exit status {expected.returncode}",
                  f"{found.returncode} {where} {found.stderr[-800:]}")
        enough = count // 16
        check(min(seen) > enough, f"more than {enough} of {count} without the engines",
              f"{seen}")


# --- the rest ----------------------------------------------------------------


def shards(name, n, lines):
    os.mkdir(name)
    for i in range(min(n, len(lines))):
        pathlib.Path(name, f"m{i}.jsonl").write_text("".join(lines[i::n]))


def directories():
    """A directory: the verdicts of its files joined."""
    draw = random.Random(seed + 1)
    for i in range(max(3, count // 20)):
        at, lines = 100, []
        for j, (session, ops) in enumerate(run(draw, False) + run(draw, False)):
            lines.append({"session": f"s{j % 5}", "start": at, "end": at + draw.choice([5, 9, 60]), "ops": ops})
            at += 10
        text = [json.dumps(line) + "\n" for line in lines]
        shards(f"d{i}", 5, text)
        pathlib.Path("joined.jsonl").write_text("".join("".join(text[k::5]) for k in range(5)))
        expected = plain("-l", "rc,cc,si,ser", "joined.jsonl")
        for n in (1, 3):
            found = mpi(n, "-l", "rc,cc,si,ser", f"d{i}")
            if found.stdout != expected.stdout.replace("joined.jsonl", f"d{i}") or \
                    found.returncode != expected.returncode:
                check(False, f"directory {i}, {n} processes", found.stdout + found.stderr + expected.stdout)
                return
    check(True, "directories have the verdicts of their files joined")
    shutil.copy("d0/m0.jsonl", "d0/m7.jsonl")
    for n in (1, 3):
        found = mpi(n, "d0")
        check(found.returncode == 2 and "session s0 is in d0/m0.jsonl as well" in found.stderr and
              "d0/m7.jsonl" in found.stderr, f"{n} processes: a session in two files is an error that names both",
              found.stderr)
    recorded = subprocess.run([assay, "test", "store:ser", "--shards", "rec", "--txns", "300", "-q"],
                              capture_output=True, text=True, check=False)
    for n in (1, 4):
        found = mpi(n, "rec")
        check(recorded.returncode == found.returncode == 0 and found.stdout == "rec: serializable: ok\n",
              f"{n} processes: shards that 'assay test' has recorded", found.stdout + found.stderr)


def mistakes():
    pathlib.Path("bad.jsonl").write_text('{"session":1,"ops":[["w",1,1]]}\n{"session":1,"ops":[["x"]]}\n')
    pathlib.Path("list.jsonl").write_text('{"session":1,"ops":[["append",1,1],["r",1,[1]]]}\n')
    pathlib.Path("empty.jsonl").write_text('{"session":1,"ops":[]}\n')
    pathlib.Path("twice.txt").write_text("w(1,5,1,1)\nr(1,5,2,1)\n")
    for name in ("twice.txt", "bad.jsonl", "none.jsonl", "list.jsonl", "empty.jsonl"):
        expected = plain(name)
        found = mpi(2, name)
        check((found.returncode, found.stdout, found.stderr) ==
              (expected.returncode, expected.stdout, expected.stderr), name,
              f"{found.stdout} {found.stderr} {expected.stdout} {expected.stderr}")
    found, expected = mpi(2, "-l", "nothing", "bad.jsonl"), plain("-l", "nothing", "bad.jsonl")
    check((found.returncode, found.stderr) == (2, expected.stderr), "a usage error is printed once", found.stderr)


def certificates():
    subprocess.run([assay, "gen", "-o", "v.txt", "--txns", "400", "--sessions", "6", "--keys", "60", "--inject",
                    "long-fork"], capture_output=True, check=True)
    for level in ("cc", "si"):
        expected = plain("-l", level, "--certificate", "a.cert", "v.txt")
        found = mpi(3, "-l", level, "--certificate", "b.cert", "v.txt")
        check(found.stdout == expected.stdout and
              pathlib.Path("a.cert").read_bytes() == pathlib.Path("b.cert").read_bytes(),
              f"{level}: explanation and certificate of one machine", found.stderr)


def failures():
    """A process without memory: an agreed 'unknown'.  A process that is killed: no verdict."""
    subprocess.run([assay, "gen", "-o", "large.txt", "--txns", "40000", "--sessions", "9", "--keys", "4000"],
                   capture_output=True, check=True)
    found = mpi(3, "--stats", "large.txt")
    sent = re.search(r"bytes sent per operation +([0-9.]+)", found.stderr)
    check(found.returncode == 0 and sent and float(sent[1]) <= 32, "at most 32 bytes sent per operation", found.stderr)
    found = mpi(3, "--memory", "3M", "large.txt")
    check(found.returncode == 3 and "serializable: unknown: rank" in found.stdout and "3" in found.stdout,
          "without memory: unknown", found.stdout + found.stderr)
    process = subprocess.Popen(["mpirun", "-q", "--oversubscribe", "-n", "3", assay_mpi, "check", *["large.txt"] * 400],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    time.sleep(3)
    children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(process.pid)], capture_output=True, text=True,
                              check=False).stdout.split("\n")
    victims = [int(line.split()[0]) for line in children if "assay-mpi" in line]
    if victims:
        os.kill(victims[-1], signal.SIGKILL)
    out = process.communicate(timeout=120)[0]
    check(victims and process.returncode not in (0, 1, 3) and out.count("\n") < 400,
          "a killed process: no verdict, and an exit status of its own", f"{victims} {process.returncode}")


same_bytes()
directories()
mistakes()
certificates()
failures()
sys.exit(end())
