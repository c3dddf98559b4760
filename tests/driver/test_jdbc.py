#!/usr/bin/env python3
"""Databases with a JDBC driver, by the adapter examples/exec/Jdbc.java.

    test_jdbc.py ASSAY EXAMPLES

Speaks TAP; what is not installed is skipped.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay, examples = (os.path.abspath(word) for word in sys.argv[1:3])
SPEC = """setup { create table t (id int primary key, v int); insert into t values (1, 10) }
teardown { drop table t }
session a
step r { select v from t where id = 1 }
step u { update t set v = 11 where id = 1 }
session b
step s { update t set v = 12 where id = 1 }
"""
# By name: the jar, what java is given, and the address.
DATABASES = {
    "H2": ("h2", "", "jdbc:h2:mem:a;DB_CLOSE_DELAY=-1"),
    "HSQLDB": ("hsqldb", "", "jdbc:hsqldb:mem:a;hsqldb.tx=mvcc"),
    "HSQLDB with locks": ("hsqldb", "", "jdbc:hsqldb:mem:a"),
    "Derby": ("derby", "-Dderby.locks.deadlockTimeout=1 -Dderby.locks.waitTimeout=2 "
              "-Dderby.stream.error.file=/dev/null", "jdbc:derby:memory:a;create=true"),
}
DEBIAN = {"h2": "libh2-java", "hsqldb": "libhsqldb-java", "derby": "libderby-java"}


def run(name, *words):
    jar, options, url = DATABASES[name]
    target = (f"exec:java {options} -cp /usr/share/java/{jar}.jar "
              f"{shlex.quote(examples + '/Jdbc.java')} {shlex.quote(url)}")
    done = subprocess.run([assay, "test", target, "--store", "", *words], text=True,
                          capture_output=True, timeout=200, check=False, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def is_here(name):
    jar = DATABASES[name][0]
    if shutil.which("javac") and os.path.exists(f"/usr/share/java/{jar}.jar"):
        return True
    skip(name, f"not installed: 'apt-get install {DEBIAN[jar]} default-jdk-headless'")
    return False


skew = ("-l", "ser", "-w", "skew", "--keys", "4", "--sessions", "4", "--txns", "300",
        "--pause", "1ms")
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "x.spec").write_text(SPEC)
    if is_here("H2"):
        status, out = run("H2", "-l", "si", "-w", "rows", "--keys", "16", "--txns", "120",
                          "--index", "btree", "--access", "key,index,range,scan",
                          "-i", "repeatable-read")
        check(status == 0 and "snapshot: ok" in out and "H2 2" in out,
              "H2 takes the workload of rows, at si", out)
        status, out = run("H2", *skew)
        check(status == 1 and "write skew" in out, "its SERIALIZABLE is not", out)
        status, out = run("H2", "-l", "si", "-w", "tpcc", "--keys", "2", "--txns", "60")
        check(status == 0, "applications write rows that are new", out)
        status, out = run("H2", "-w", "rows", "--txns", "20", "--nemesis", "analyze@every:0.01",
                          "--nemesis", "no such statement@0", "-i", "serializable")
        check("analyze" in out and "no such statement" in out, "a nemesis takes part", out)
        status, out = run("H2", "--spec", "x.spec", "-l", "rc")
        check(status == 0 and "interleavings" in out, "a spec is played", out)
    if is_here("HSQLDB"):
        status, out = run("HSQLDB", *skew)
        check(status == 1 and "write skew" in out, "HSQLDB with mvcc: so is its SERIALIZABLE", out)
        status, out = run("HSQLDB with locks", "-l", "ser", "-w", "skew", "--keys", "4",
                          "--sessions", "4", "--txns", "120", "--sorted")
        check(status == 0 and "serializable: ok" in out, "HSQLDB with locks is serializable", out)
    if is_here("Derby"):
        status, out = run("Derby", "-l", "ser", "-w", "rows", "--keys", "16", "--ops", "2",
                          "--sessions", "3", "--txns", "40")
        check(status == 0 and "serializable: ok" in out, "Derby is serializable", out)
sys.exit(end())
