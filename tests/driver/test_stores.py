#!/usr/bin/env python3
"""Redis, etcd and RocksDB, by the adapters in examples/exec.

    test_stores.py ASSAY EXAMPLES

Each has a mode that keeps its level and one that does not.  Speaks TAP; what is
not installed is skipped.
"""
import contextlib
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay, examples = (os.path.abspath(word) for word in sys.argv[1:3])
SKEW = ("-w", "skew", "--keys", "4", "--sessions", "4", "--txns", "200", "-l", "si,ser")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def server(port, *command):
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, cwd=folder) as started:
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield
        finally:
            started.terminate()


def run(command, *words):
    done = subprocess.run([assay, "test", "exec:" + command, "--store", "", "-q", *words], text=True,
                          capture_output=True, timeout=200, check=False, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def script(name, *words):
    return shlex.join([sys.executable, os.path.join(examples, name), *words])


def is_here(program, package):
    if not shutil.which(program):
        skip(program, f"not installed: 'apt-get install {package}'")
    return bool(shutil.which(program))


def keeps(command, name, *words):
    status, out = run(command, *words)
    check(status == 0 and "violated" not in out, name, out)


def skews(command, name):
    """A race, which one of a few runs shows."""
    for seed in range(1, 7):
        status, out = run(command, *SKEW, "--seed", str(seed))
        if status != 0:
            break
    check(status == 1 and "snapshot: ok" in out and "write skew" in out, name, out)


with tempfile.TemporaryDirectory() as folder:
    if is_here("redis-server", "redis-server"):
        port = free_port()
        with server(port, "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""):
            watch = script("redis_store.py", str(port), "watch")
            keeps(watch, "Redis with WATCH is strictly serializable", "-l", "strict-ser", "--keys", "4",
                  "--sessions", "4", "--txns", "200")
            keeps(watch, "its lists too", "-l", "strict-ser", "-w", "append", "--keys", "4", "--sessions",
                  "4", "--txns", "100")
            status, out = run(script("redis_store.py", str(port), "multi"), "-w", "update", "--keys", "4",
                              "--sessions", "4", "--txns", "200", "-l", "si")
            check(status == 1 and "violated" in out, "without WATCH it loses updates", out)
    if is_here("etcd", "etcd-server"):
        port, peer = free_port(), f"http://127.0.0.1:{free_port()}"
        here = f"http://127.0.0.1:{port}"
        with server(port, "etcd", "--data-dir", "etcd", "--listen-client-urls", here,
                    "--advertise-client-urls", here, "--listen-peer-urls", peer,
                    "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"):
            time.sleep(0.5)
            keeps(script("etcd_store.py", str(port)), "etcd's transactions are serializable", *SKEW)
            skews(script("etcd_store.py", str(port), "snapshot"), "with a snapshot, write skew")
    built = subprocess.run(["cc", "-o", "rocksdb_store", os.path.join(examples, "rocksdb_store.c"), "-lrocksdb"],
                           cwd=folder, capture_output=True, check=False)
    if built.returncode == 0:
        keeps("./rocksdb_store a ser", "RocksDB's transactions are serializable with GetForUpdate", *SKEW)
        skews("./rocksdb_store a si", "with Get, write skew")
    else:
        skip("RocksDB", "not installed: 'apt-get install librocksdb-dev'")
sys.exit(end())
