#!/usr/bin/env python3
"""What options and arguments take: units, names of anomalies, files.

    test_options.py ASSAY

Speaks TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])


def run(*words, **more):
    return subprocess.run([assay, *words], text=True, capture_output=True, timeout=120, **more)


def transactions(*words):
    made = run("gen", "--keys", "50", "-o", "made.jsonl", *words)
    return json.loads(run("stats", "--json", "made.jsonl").stdout)["transactions"] if made.returncode == 0 else made.stderr


def units():
    for text, number in (("200", 200), ("0.2k", 200), (".001M", 1000), ("1e2", 100)):
        check(transactions("--txns", text) == number, f"--txns {text} is {number}", transactions("--txns", text))
    stats = [json.loads(run("gen", "--reads", share, "-o", "made.jsonl") and run("stats", "--json", "made.jsonl").stdout)
             for share in ("25%", "0.25")]
    check(stats[0] == stats[1] and stats[0]["reads"] < stats[0]["writes"], "--reads 25% is --reads 0.25", stats)
    for words in (["check", "--timeout", "2min", "--memory", "1.5G"], ["check", "--timeout", "500ms", "--memory", "64MiB"]):
        done = run(*words, "-q", "made.jsonl")
        check(done.returncode == 0, " ".join(words), done.stderr)
    done = run("test", "store:ser?fresh=50%&window=0.1k", "--txns", "0.1k", "--pause", "10us", "-q")
    check(done.returncode == 0, "also for pauses and for parameters of a target", done.stderr)
    for words in (["--txns", "1.5"], ["--txns", "1kk"], ["--txns", "-1"], ["--reads", "101%"], ["--timeout", "10k"],
                  ["--memory", "1ms"], ["--theta", "1k"], ["--txns", "0x10"], ["--seed", "1e30"]):
        done = run("gen", *words)
        check(done.returncode == 2 and words[0] + " takes " in done.stderr and done.stderr.count("\n") == 1,
              "not " + " ".join(words), done.stderr)


def injected():
    lines = run("help", "gen").stdout.split("--inject ANOMALY")[1].split("one of:")[1].split("--at")[0].split()
    check("lost-update" in lines and "read-skew" in lines, "help lists what can be injected", lines)
    for name in lines:
        for rows in ([], ["--rows"]):
            made = run("gen", "-q", "--txns", "60", "--keys", "50", "--inject", name, "-o", "anomaly.jsonl", *rows)
            if name.startswith("phantom") and not rows:
                check(made.returncode == 2 and "--rows" in made.stderr, f"{name} needs rows", made.stderr)
                continue
            done = run("check", "-l", "rc,ra,cc,pc,psi,si,ser", "--json", "anomaly.jsonl")
            found = [[a["name"] for a in r["anomalies"]] for r in json.loads(done.stdout)["results"] if r["verdict"] == "violated"]
            check(done.returncode == 1 and found[0] == [name], " ".join([f"check calls {name} by that name", *rows]), found)


def checked(*words):
    """The histories that have a verdict, the status, and what else was said."""
    done = run("check", "-q", *words)
    return [line.split(": ")[0] for line in done.stdout.splitlines()], done.returncode, done.stderr


def directories():
    place = pathlib.Path("runs")
    (place / "monday").mkdir(parents=True)
    (place / "b.hist").write_text("[x:=1]\n")
    (place / "a.hist").write_text("[x:=1]\n")
    (place / "monday" / "c.jsonl").write_text('{"session":"s","ops":[["w","x",1]]}\n')
    (place / "README.txt").write_text("Nothing to check here.\n")
    (place / "result.json").write_text('{"schema":1}\n')
    (place / ".hidden.hist").write_text("[x==1]\n")
    (place / "again").symlink_to(".")
    names = ["runs/a.hist", "runs/b.hist", "runs/monday/c.jsonl"]
    check(checked("runs") == (names, 0, ""), "a directory stands for the histories in it", checked("runs"))
    check(checked("runs/") == (names, 0, ""), "also with a slash", checked("runs/"))
    said = run("check", "runs").stderr
    check("note: runs: 3 histories, and 2 other files left out: runs/" in said, "what was left out is said", said)
    check(checked("runs/*.hist") == (names[:2], 0, ""), "a pattern stands for what matches", checked("runs/*.hist"))
    check(checked("-f", "hist", "runs") == (names[:2], 0, ""), "with -f, only files of that format", checked("-f", "hist", "runs"))
    for words, why in ((["runs/*.no"], "runs/*.no: no file has a name like this\n"), (["empty"], "empty: no history is in ")):
        pathlib.Path("empty").mkdir(exist_ok=True)
        done = checked(*words)
        check(done[:2] == ([], 2) and done[2].startswith(why) and done[2].count("\n") == 1, f"{words}: nothing is there", done)
    done = run("stats", "--json", "runs")
    check(len(done.stdout.splitlines()) == 3, "stats takes directories, too", done.stdout + done.stderr)
    run("convert", "-q", "--renumber", "-t", "cobra", "-o", "runs/logs", "runs/a.hist")
    check(checked("runs")[0] == sorted(names + ["runs/logs"]), "a directory that is a history is one", checked("runs"))


def compressed():
    for name, head in (("xz", b"\xfd7zXZ\x00\x00\x04"), ("bzip2", b"BZh91AY&SY\x00"), ("lz4", b"\x04\x22\x4d\x18\x64")):
        pathlib.Path("packed.hist").write_bytes(head * 3)
        done = run("check", "packed.hist")
        check(done.returncode == 2 and done.stderr.startswith(f"packed.hist: compressed with {name}, expected gzip"),
              f"{name} is named", done.stderr)


def lines_in_sarif():
    """Regions are the lines of the transactions, found in the file by their ids or values."""
    pathlib.Path("a.jsonl").write_text(
        '{"session":"s","id":"first","ops":[["w","x",1]]}\n\n{"session":"a","id":"one","ops":[["r","x",1],["w","x",2]]}\n'
        '{"session":"b","id":"two","ops":[["r","x",1],["w","x",3]]}\n')
    pathlib.Path("a.hist").write_text("\nfirst[x:=1]\n---\none[x==1 x:=2]\n---\n\ntwo[x==1\nx:=3]\n")
    run("convert", "-q", "a.jsonl", "-o", "a.edn")
    run("convert", "-q", "--renumber", "a.jsonl", "-t", "text", "-o", "a.txt")
    run("convert", "-q", "a.jsonl", "-o", "a.csv")
    for file in ("a.jsonl", "a.hist", "a.edn", "a.txt", "a.csv"):
        done = run("check", "-q", "-l", "si", "--sarif", "s.json", file)
        result = json.loads(pathlib.Path("s.json").read_text())["runs"][0]["results"][0]
        places = [l["location"] for l in result["codeFlows"][0]["threadFlows"][0]["locations"]]
        text = pathlib.Path(file).read_text().splitlines()
        found = [text[p["physicalLocation"]["region"]["startLine"] - 1] for p in places if "physicalLocation" in p]
        main = result["locations"][0]["physicalLocation"].get("region")
        if file == "a.txt":
            names = [p["logicalLocations"][0]["name"] for p in places]
            check(done.returncode == 1 and main and [line.rsplit(",", 1)[1] for line in found] == [name + ")" for name in names],
                  "text: the first lines of transactions", found)
        elif file == "a.csv":
            check(main and sorted(line[:9] for line in found) == ["a,1,read,", "b,1,read,"], "csv: the first rows of transactions", found)
        elif file == "a.edn":
            check(len(found) == 2 and main and all(":invoke" in line for line in found) and found[0] != found[1],
                  "edn: the lines of invocations", found)
        else:
            names = [p["logicalLocations"][0]["name"] for p in places]
            check(len(found) == 2 and main and all(name in line for name, line in zip(names, found)), f"{file}: lines of transactions", found)


def names_of_formats():
    """A file is written in the format that its name asks for."""
    run("gen", "--txns", "5", "-o", "x.dbcop")
    done = run("stats", "--json", "x.dbcop")
    check(done.returncode == 0 and json.loads(done.stdout)["format"] == "dbcop", "x.dbcop", done.stdout + done.stderr)
    run("gen", "--txns", "5", "-o", "x.unknown")
    done = run("stats", "--json", "x.unknown")
    check(done.returncode == 0 and json.loads(done.stdout)["format"] == "jsonl", "x.unknown", done.stdout + done.stderr)


def sql_files():
    """The store takes no SQL."""
    pathlib.Path("f.sql").write_text("select 1 from t;")
    pathlib.Path("g.sql").write_text("select 1;\nselect :v from t;")
    pathlib.Path("t.sql").write_text("create table t (id int primary key);")
    tables = ["--schema", "t.sql"]
    for words, message in ((["-w", "f.sql"], "-w f.sql needs the tables of its statements: --schema FILE"),
                           (tables, "--schema is for a workload of SQL files, -w FILE.sql"),
                           (["store:si", "-w", "f.sql", *tables],
                            "needs one node of PostgreSQL 13, MariaDB 10.4 or SQLite 3.37, or later"),
                           (["-w", "f.sql", *tables, "--pairs"], "not for applications, SQL files and specifications"),
                           (["-w", "f.sql", *tables, "--use", "long"], "--use is for workloads of rows"),
                           (["-w", "g.sql", *tables], "g.sql:2: variable ':v' is never set, expected \\set or \\gset"),
                           (["-w", "f.sql@0", *tables], "expected FILE.sql@WEIGHT with a weight of 1 to 1000000"),
                           (["-w", "none.sql", *tables], "none.sql: "),
                           (["-w", "f.sql", *tables, "--start", "postgresql", "--fault", "kill@1"],
                            "--fault kill is not for SQL files"),
                           (["-w", "f.sql", *tables, "--start", "postgresql+sync", "--fault", "failover@1", "-l", "si"],
                            "--fault failover is not for SQL files"),
                           (["--start", "postgresql", "--fault", "kill@1,failover@2"],
                            "a failover needs servers that can take over"),
                           (["--start", "mariadb", "--fault", "failover@2"], "a failover needs servers that can take over"),
                           (["--start", "galera:2", "--fault", "failover@2"], "galera:N with N from 3, found galera:2"),
                           (["--start", "postgresql+standby", "--fault", "failover:2@2", "-l", "si"],
                            "expected failover@T without a node")):
        done = run("test", *words)
        check(done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, "test " + " ".join(words), done.stderr)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    sql_files()
    names_of_formats()
    units()
    injected()
    directories()
    compressed()
    lines_in_sarif()
    os.chdir("/")
sys.exit(end())
