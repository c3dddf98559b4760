#!/usr/bin/env python3
"""H2, which speaks PostgreSQL's protocol and lacks some of its functions.

    test_h2.py ASSAY

Speaks TAP; skipped where java or the library (Debian: libh2-java) is not there.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
jar = "/usr/share/java/h2.jar"
SPEC = """setup { create table t (id int primary key, v int); insert into t values (1, 10) }
teardown { drop table t }
session a
step s { update t set v = v + 1 where id = 1 }
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def await_port(port):
    for _ in range(200):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


def run(*words):
    done = subprocess.run([assay, "test", target, "--store", "", *words], text=True,
                          capture_output=True, timeout=120, check=False, cwd=folder)
    return done.returncode, done.stdout + done.stderr


if not shutil.which("java") or not os.path.exists(jar):
    skip("H2", "java or h2.jar is not here; 'apt-get install libh2-java default-jre-headless'")
    sys.exit(end())
with tempfile.TemporaryDirectory() as folder:
    port = free_port()
    target = f"postgresql://sa:sa@127.0.0.1:{port}/test"
    with subprocess.Popen(
            ["java", "-cp", jar, "org.h2.tools.Server", "-pg", "-pgPort", str(port),
             "-ifNotExists", "-baseDir", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            await_port(port)
            status, out = run("-l", "si", "-w", "update", "--keys", "20", "--txns", "100")
            check(status == 0 and "snapshot: ok" in out and " 0 committed" not in out
                  and "turned into a rollback" not in out, "commits count as such", out)
            status, out = run("-l", "ser", "-w", "skew", "--keys", "4", "--txns", "150")
            check(status == 1 and "write skew" in out, "its SERIALIZABLE is not", out)
            (pathlib.Path(folder) / "x.spec").write_text(SPEC)
            status, out = run("--spec", "x.spec", "-l", "ser")
            check(status == 2 and "what it reads cannot be asked for" in out,
                  "what recording needs and is missing is said", out)
        finally:
            server.terminate()
sys.exit(end())
