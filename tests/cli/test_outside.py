#!/usr/bin/env python3
"""Text from outside never commands a terminal, and a full disk ruins nothing.

    test_outside.py ASSAY

File names, targets, server messages and names in histories have control
characters and U+0000 in them; outputs go to a full disk, through links and to
devices; TMPDIR is very long; inputs are empty.  Speaks TAP.
"""
import os
import pathlib
import re
import resource
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
HOSTILE = "a\x1b[31m\r\x9b\u202eb\n.hist"
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]")


def run(*words, most=None, env=None, **more):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return subprocess.run([assay, *words], text=True, capture_output=True, timeout=120,
                          errors="backslashreplace", preexec_fn=limit if most else None,
                          restore_signals=False,  # SIGXFSZ stays ignored
                          env={**os.environ, **(env or {})}, **more)


def said(result):
    return result.stdout + result.stderr


def is_one_line(result, status=2):
    return result.returncode == status and result.stderr.count("\n") == 1


def outside_texts():
    pathlib.Path(HOSTILE).write_text("[x:=1]\n")
    pathlib.Path("broken" + HOSTILE).write_text("[x:=1\n")
    for words in (["check", HOSTILE], ["check", "broken" + HOSTILE], ["check", "no" + HOSTILE],
                  ["stats", HOSTILE], ["show", HOSTILE, HOSTILE], ["check", "--stats", HOSTILE],
                  ["convert", "-o", "/no/" + HOSTILE, HOSTILE], ["certify", HOSTILE, HOSTILE],
                  ["check", "--certificate", "/no/" + HOSTILE, HOSTILE], ["check", "-l", HOSTILE, HOSTILE],
                  ["check", "-f", HOSTILE, HOSTILE], ["check", "--" + HOSTILE], [HOSTILE],
                  ["test", HOSTILE], ["test", HOSTILE + ":x"], ["test", "sqlite:/no/" + HOSTILE],
                  ["test", "store:" + HOSTILE], ["test", "--start", HOSTILE],
                  ["test", "sqlite:", "--setup", "select * from \"\x1b[31m\""],
                  ["test", "-w", HOSTILE], ["test", "-i", HOSTILE], ["check", "-l", "all", HOSTILE]):
        result = run(*words)
        check(said(result) and not HIDDEN.search(said(result)),
              f"{words[0][:7]!r} obeys nothing: {ascii(words[1:2])}", repr(said(result)))


def names_with_zero_bytes():
    pathlib.Path("nul.jsonl").write_text(
        '{"session":"s\\u0000x","id":"t\\u0000x","ops":[["r","k\\u0000x","v\\u0000x"]]}\n')
    for words in (["check", "nul.jsonl"], ["check", "--json", "nul.jsonl"]):
        text = said(run(*words)).replace("\\\\", "\\")
        check(all(name in text for name in ("t\\u0000x", "k\\u0000x", "v\\u0000x")),
              f"names with U+0000 are shown whole: {words}", text)
    text = said(run("stats", "nul.jsonl"))
    check("k\\u0000x" in text and "\x00" not in text, "also by stats", text)


WRITERS = {
    "a certificate": ["check", "-q", "-l", "rc", "--certificate", "OUT", "long.hist"],
    "a reduced history": ["check", "-q", "--reduced", "OUT", "wrong.hist"],
    "a history": ["convert", "-t", "hist", "-o", "OUT", "long.hist"],
    "a generated history": ["gen", "-q", "-t", "hist", "-o", "OUT"],
    "a recording": ["collect", "-q", "store:ser", "-o", "OUT"],
}


def full_disks():
    pathlib.Path("long.hist").write_text("[x:=1]\n" + "[x==1]\n" * 3000)
    pathlib.Path("wrong.hist").write_text("[x:=1]\n---\n[x==2]\n")
    for what, words in WRITERS.items():
        if not stat.S_ISCHR(os.stat("/dev/full").st_mode):
            skip(f"{what} to /dev/full", "there is no such device")
            continue
        result = run(*[w.replace("OUT", "/dev/full") for w in words])
        check(is_one_line(result) and "No space left" in result.stderr, f"{what} to /dev/full is an error",
              said(result))
        check(stat.S_ISCHR(os.stat("/dev/full").st_mode), "and the device is still one")
    for what, words in WRITERS.items():
        if what == "a reduced history":
            continue  # as small as any file
        pathlib.Path("out").write_text("as before\n")
        result = run(*[w.replace("OUT", "out") for w in words], most=8192)
        check(is_one_line(result) and result.stderr.startswith("out: cannot write: "),
              f"{what} to a full disk is an error", said(result))
        check(what == "a recording" or pathlib.Path("out").read_text() == "as before\n",
              "and leaves the file that was there")
        check(not os.path.exists("out.partial"), "and nothing beside it")
    with open("/dev/full", "w") as full:
        for words in (["check", "wrong.hist"], ["stats", "long.hist"], ["convert", "-o", "-", "long.hist"]):
            result = subprocess.run([assay, *words], text=True, stdout=full, stderr=subprocess.PIPE)
            check(is_one_line(result), f"results to a full disk are an error: {words[0]}", result.stderr)


def links():
    pathlib.Path("precious").write_text("precious\n")
    pathlib.Path("target").write_text("old\n")
    os.symlink("precious", "new.hist.partial")
    result = run("convert", "-q", "-t", "hist", "-o", "new.hist", "wrong.hist")
    check(result.returncode == 0 and pathlib.Path("precious").read_text() == "precious\n",
          "a link that waits for a temporary file is not followed", said(result))
    os.symlink("target", "link.hist")
    result = run("convert", "-q", "-t", "hist", "-o", "link.hist", "wrong.hist")
    check(result.returncode == 0 and os.path.islink("link.hist") and "x" in pathlib.Path("target").read_text(),
          "a link that is named as the output stays one", said(result))


def long_names():
    place = os.getcwd()
    for _ in range(5):
        place += "/" + "d" * 200
        os.mkdir(place)
    env = {"TMPDIR": place}
    check(len(place) > 1000, "TMPDIR has 1,000 characters")
    result = run("test", "-q", "store:ser", env=env)
    check(result.returncode == 0, "the store is tested all the same", said(result))
    result = run("test", "-q", "sqlite:", env=env)
    check(result.returncode == 0 or is_one_line(result), "SQLite is, or says why not", said(result))
    result = run("check", place + "/missing")
    check(is_one_line(result) and "No such file" in result.stderr and "missing" in result.stderr,
          "both ends of a long name are shown", said(result))
    check(not os.listdir(place), "nothing is left there", os.listdir(place))


def killed_runs():
    """Nothing is left of a recording that nobody wanted to keep."""
    os.mkdir("scratch")
    env = {**os.environ, "TMPDIR": os.path.abspath("scratch")}
    running = subprocess.Popen([assay, "test", "-q", "--time", "60", "store:ser"], env=env,
                               stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    alive = running.poll() is None
    running.kill()
    running.wait()
    check(alive and not os.listdir("scratch"), "a killed test leaves no file", os.listdir("scratch"))


def refused_targets():
    for server in ("postgresql+standby", "postgresql+sync"):
        result = run("test", "--start", server, "-l", "ser")
        check(is_one_line(result) and "-i repeatable-read" in result.stderr,
              f"a standby is not asked for serializable transactions: {server}", said(result))
    for target in ("postgresql://127.0.0.1:1/x", "mariadb://assay@127.0.0.1:1/x"):
        result = run("test", target)
        check(result.returncode == 2 and ("refused" in result.stderr or "can't connect" in result.stderr.lower() or
                                          "without" in result.stderr), f"no server at {target}", said(result))
        result = run("test", target + "?burn=1")
        check(is_one_line(result), f"an unknown parameter of {target}", said(result))


def empty_inputs():
    pathlib.Path("empty").write_text("")
    pathlib.Path("blank").write_text("\n \n\n")
    for name in ("empty", "blank"):
        for form in ("auto", "text", "jsonl", "edn", "json", "hist", "dbcop", "viper", "trace"):
            result = run("check", "-f", form, name)
            check(is_one_line(result) and result.stderr == f"{name}: the input is empty\n",
                  f"{name} as {form}", said(result))


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    outside_texts()
    names_with_zero_bytes()
    full_disks()
    links()
    long_names()
    killed_runs()
    refused_targets()
    empty_inputs()
    os.chdir("/")
sys.exit(end())
