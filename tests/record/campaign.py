"""campaign.py ASSAY LEVEL ROUNDS SEED -- random concurrent transactions through
'assay record', each round judged by brute force: all serial orders of the
transactions that committed, on a copy of the tables, with every answer and the
final state.  Run by hand; prints counts, and the seeds of rounds in which the
verdict is wrong."""

import itertools
import os
import random
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from postgres import Client, Failure, Server
from recording import Recording, run

assay, level, rounds, seed = (sys.argv[1], sys.argv[2], int(sys.argv[3]),
                              int(sys.argv[4]))
TXNS, ROWS = 4, 5
SCHEMA = """
drop table if exists b, a;
create table a (id int primary key, k int, v int);
create table b (id int primary key, a int, w int);
create index on b (a); create index on a (k);
"""


def fill(client):
    client.run("truncate a, b")
    client.run(f"insert into a select i, i % 2, i * 10 from "
               f"generate_series(1, {ROWS}) i")
    client.run(f"insert into b select i, 1 + i % {ROWS}, i from "
               f"generate_series(1, {ROWS}) i")


def statement(r):
    i, k, n = r.randint(1, ROWS + 1), r.randint(0, 1), r.randint(0, 60)
    new = r.randint(ROWS + 1, ROWS + 3)
    return r.choice([
        f"select v from a where id = {i}",
        f"select id, v from a where v > {n}",
        f"select count(*), sum(v) from a where k = {k}",
        f"select a.id, b.w from a join b on b.a = a.id where a.k = {k}",
        f"select id from a where exists (select 1 from b where b.a = a.id and "
        f"w > {r.randint(0, ROWS)})",
        f"select id from a where not exists (select 1 from b where b.a = a.id)",
        f"select id from a where v > (select avg(v) from a)",
        f"select a.id, count(b.id) from a left join b on b.a = a.id group by "
        f"a.id",
        "select max(v) from a",
        f"select id, v from a where v >= {n} order by v, id limit 1",
        f"select v from a where id = {i} for update",
        f"update a set v = v + 1 where id = {i}",
        f"update a set v = {n} where id = {i}",
        f"update a set v = v + 5 where k = {k}",
        f"update a set k = {k} where v > {n}",
        f"update b set w = w + 1 where a = {i}",
        f"update a set v = (select coalesce(sum(w), 0) from b) where id = {i}",
        f"delete from b where w > {r.randint(3, 8)}",
        f"delete from a where id = {i} and v < {n}",
        f"insert into a values ({new}, {k}, {n}) on conflict (id) do update "
        f"set v = a.v + 1",
        f"insert into b select {new}, {i}, {k} where not exists (select 1 from "
        f"b where a = {i})",
        f"insert into b values ({new}, {i}, {n}) on conflict do nothing",
    ])


def play(port, script, pauses, out):
    client = Client(port)
    answers = []
    try:
        client.run(f"begin isolation level {level}")
        for sql, pause in zip(script, pauses):
            gate.wait(pause)
            rows = (client.execute(sql) if len(answers) % 2 else
                    client.run(sql))
            answers.append(sorted(map(str, rows)))
        client.run("commit")
        out["answers"] = answers
    except Failure:
        pass
    finally:
        client.close()


gate = threading.Event()


def state(client):
    return (client.run("select * from a order by id"),
            client.run("select * from b order by id"))


def is_serial(client, done, final):
    """Whether some serial order gives the same answers and state."""
    for order in itertools.permutations(done):
        fill(client)
        fits = True
        for script, answers in order:
            client.run("begin")
            try:
                for sql, answer in zip(script, answers):
                    if sorted(map(str, client.run(sql))) != answer:
                        fits = False
                        break
                client.run("commit" if fits else "rollback")
            except Failure:
                client.run("rollback")
                fits = False
            if not fits:
                break
        if fits and state(client) == final:
            return True
    return False


server = Server()
counts = dict.fromkeys(["committed", "partial", "not serial", "found",
                        "accused", "only rows", "refused"], 0)
try:
    c = Client(server.port, "postgres", "postgres")
    c.run("create role app login")
    c.run("create database shop owner app")
    c.run("create database copy owner app")
    c.close()
    copy = Client(server.port, database="copy")
    copy.run(SCHEMA)
    own = Client(server.port)
    own.run(SCHEMA)
    path = server.root + "/run.jsonl"
    for i in range(rounds):
        r = random.Random(seed * 100000 + i)
        fill(own)
        recording = Recording(assay, server, path)
        if not recording.port:
            print(recording.said)
            sys.exit(1)
        scripts = [[statement(r) for _ in range(r.randint(1, 4))]
                   for _ in range(TXNS)]
        outs = [{} for _ in scripts]
        threads = [threading.Thread(target=play, args=(
            recording.port, s, [r.random() * 0.02 for _ in s], o))
            for s, o in zip(scripts, outs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        status = recording.stop()
        final = state(own)
        done = [(s, o["answers"]) for s, o in zip(scripts, outs) if o]
        counts["committed"] += len(done)
        if status not in (0, 3):
            if "no row" not in recording.said:
                counts["refused"] += 1
                print(i, "refused", recording.said.strip())
            continue
        counts["partial"] += status == 3
        own_level = {"serializable": "strict-ser", "repeatable read": "si",
                     "read committed": "rc"}[level]
        status, said = run(assay, "check", "-q", "-l", own_level, path)
        if status != 0:
            counts["accused"] += 1
            print(i, "ACCUSED", said.strip())
            os.system(f"cp {path} /tmp/accused-{seed}-{i}.jsonl")
        status, said = run(assay, "check", "-q", "-l", "ser", path)
        serial = is_serial(copy, done, final)
        counts["not serial"] += not serial
        counts["found"] += not serial and status == 1
        counts["only rows"] += serial and status == 1
        if not serial and status != 1:
            print(i, "MISSED", said.strip())
            os.system(f"cp {path} /tmp/missed-{seed}-{i}.jsonl")
        if level == "serializable" and status == 1:
            print(i, "ACCUSED", said.strip())
    copy.close()
    own.close()
finally:
    print(level, seed, rounds, counts)
    server.stop()
