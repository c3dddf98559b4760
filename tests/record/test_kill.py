"""test_kill.py ASSAY [KILLS [SEED]] -- the recorder, a client or the server is
killed with SIGKILL at a random moment of a run.  Afterwards --assemble and
--clean leave the schema as it was; the history is not accused, and it has every
transaction of which a client knows that it committed."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Failure, Server, find
from recording import Recording, run

assay = sys.argv[1]
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 6
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
if not find("initdb"):
    tap.skip("kills", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
VICTIMS = ["recorder", "client", "server"]
CLIENTS = 3


def talk(port, user, numbers, confirmed, sockets, stop):
    """Transactions that each add a row with a number of its own, until the
    connection ends; numbers of those whose commit was confirmed."""
    try:
        c = Client(port, user)
        sockets.append(c.socket)
        while not stop.is_set():
            n = next(numbers)
            try:
                c.run("begin isolation level serializable")
                c.execute("select sum(v) from t where id % 3 = $1", n % 3)
                c.execute("update t set v = v + 1 where id = $1", n % 4)
                c.run(f"insert into log values ({n})")
                c.run("commit")
                confirmed.append(n)
            except Failure as e:
                if e.code not in ("40001", "40P01"):
                    raise
                c.run("rollback")
    except (OSError, EOFError, Failure, ValueError):
        pass


def restart():
    """The server again, after it was killed, and its recovery."""
    for _ in range(300):
        try:
            server.restart()
            return admin("select 1")
        except (subprocess.CalledProcessError, OSError, Failure, EOFError):
            time.sleep(0.1) # its memory is still in use, or it recovers
    raise RuntimeError("the server does not start again")


def admin(sql):
    c = Client(server.port, "postgres")
    try:
        return c.run(sql)
    finally:
        c.close()


def play(i, r):
    victim = VICTIMS[i % len(VICTIMS)]
    user = r.choice(["app", "postgres"])
    admin("truncate t, log; insert into t select i, 0 from generate_series(0, "
          "3) i")
    before = server.schema("shop")
    recording = Recording(assay, server, path)
    numbers = iter(range(i * 100000, (i + 1) * 100000))
    lock = threading.Lock()

    class Numbers:
        def __next__(self):
            with lock:
                return next(numbers)
    confirmed, sockets, stop = [], [], threading.Event()
    threads = [threading.Thread(target=talk, args=(
        recording.port, user, Numbers(), confirmed, sockets, stop))
        for _ in range(CLIENTS)]
    for t in threads:
        t.start()
    time.sleep(r.random() * 0.3)
    if victim == "recorder":
        recording.process.kill()
    elif victim == "server":
        server.kill()
    else:
        for s in sockets:
            try:
                s.shutdown(2) # as when the process is killed
            except OSError:
                pass
    stop.set()
    for t in threads:
        t.join()
    if victim == "server":
        restart()
    status = recording.stop()
    said = recording.said
    if victim != "client" and (victim == "recorder" or status not in (0, 3)):
        status, more = run(assay, "record", "--to", server.url("shop"),
                           "--assemble", path + ".raw", "-o", path)
        said += more
    empty = "no row was read" in said
    status_of_clean, more = run(assay, "record", "--to", server.url("shop"),
                                "--clean")
    what = f"kill {i} (seed {seed}) of the {victim}, recording {user}"
    if server.schema("shop") != before or status_of_clean != 0:
        return f"{what}: the schema has changed", said + more
    if admin("select count(*) from pg_roles where rolname ~ '^assay'") != [
            ["0"]]:
        return f"{what}: a role is left behind", said
    if status not in (0, 3):
        if empty and not confirmed:
            return None
        return f"{what}: there is no history", said
    checked, more = run(assay, "check", "-q", "-l", "ser,strict-ser", path)
    if checked != 0 and "nothing was tested" not in more:
        return f"{what}: accused", more
    with open(path) as f:
        lines = [json.loads(line) for line in f]
    there = {op[1][1] for l in lines
             if "ops" in l and l.get("status", "committed") == "committed"
             and l["session"] != "final state"
             for op in l["ops"] if op[0] == "i" and op[1][0] == "log"}
    lost = set(confirmed) - there
    if lost:
        return f"{what}: confirmed transactions are missing", str(lost)
    counts[victim] += 1
    counts["confirmed"] += len(confirmed)
    return None


counts = dict.fromkeys(VICTIMS + ["confirmed"], 0)
server = Server(durable=True)
path = server.root + "/run.jsonl"
try:
    c = Client(server.port, "postgres", "postgres")
    c.run("create role app login")
    c.run("create database shop")
    c.close()
    admin("create table t (id int primary key, v int); create table log (n int "
          "primary key); grant all on t, log to app")
    r = random.Random(seed)
    wrong = [w for w in (play(i, r) for i in range(kills)) if w]
    print("#", kills, "kills,", counts)
    tap.check(not wrong, f"{kills} kills: clean, not accused, nothing is lost",
              "\n".join(f"{a}\n{b}" for a, b in wrong))
finally:
    server.stop()
sys.exit(tap.end())
