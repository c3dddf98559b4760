#!/usr/bin/env python3
"""--start postgresql@RELEASE: fetched once, with a stand-in for npm.

    test_release.py ASSAY

The stand-in packs programs that call the installed PostgreSQL, so nothing is
downloaded.  Speaks TAP.
"""
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
scratch = pathlib.Path(tempfile.mkdtemp(prefix="assay-release-"))
scratch.chmod(0o755)
cache, tools = scratch / "cache", scratch / "tools"
tools.mkdir()
calls = scratch / "calls"

# A PATH without npm, and with what the scripts need.
for name in ("sh", "mktemp", "rm", "sleep", "uname", "mkdir", "find", "sed",
             "head", "tr", "grep", "sort", "tail", "cut", "uniq", "paste", "tar",
             "gzip", "chmod", "mv", "ln", "cat"):
    (tools / name).symlink_to(shutil.which(name))

NPM = """#!/bin/sh
echo "$1" >>'{calls}'
case $1 in
view) [ ! "${{NPM_FAILS-}}" ] || {{ echo 'npm error code ENOTFOUND' >&2
                                   echo 'npm error a log' >&2; exit 1; }}
      echo '[ "14.3.0-beta.1", "14.3.0-beta.6",'
      echo '  "14.30.0-beta.6", "15.4.0-beta.9" ]' ;;
pack) case $2 in *@14.3.0-beta.6) ;; *) exit 1 ;; esac
      mkdir -p package/native/bin package/native/lib
      for tool in initdb postgres; do
          printf '#!/bin/sh\\nexec {bin}/%s "$@"\\n' $tool \\
              >package/native/bin/$tool
      done
      echo >package/native/lib/libx.so.5.14
      echo '[{{"source":"native/lib/libx.so.5.14", "target":' \\
          '"native/lib/libx.so.5"}}, {{"source":"native/lib/libx.so.5.14",' \\
          '"target":"native/../../../outside"}}]' \\
          >package/native/pg-symlinks.json
      tar -czf a-1.tgz package && rm -r package && echo a-1.tgz ;;
esac
"""


def run(what, *words, **more):
    env = dict(os.environ, PATH=str(tools), ASSAY_CACHE=str(cache), **more)
    return subprocess.run([assay, "test", "--start", what, "--txns", "40",
                           "-l", "si", "--store", "", *words], text=True,
                          capture_output=True, timeout=400, check=False,
                          env=dict(env, TMPDIR=str(scratch)))


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


has(run("postgresql@14.3;ls"), 2, "as in postgresql@14.3", "nor is a command")
has(run("mariadb@10.11"), 2, "expected mariadb", "MariaDB has no releases")
first = run("postgresql@14.3")
if "built without" in first.stderr:
    skip("releases", "this build has no PostgreSQL")
    shutil.rmtree(scratch)
    sys.exit(end())
has(first, 2, "fetched with npm, which is not installed", "npm is missing")
has(run("postgresql@14"), 2, "PostgreSQL 14 is fetched with npm", "a major is fetched, too")

bins = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
npm = tools / "npm"
npm.write_text(NPM.format(calls=calls, bin=bins[-1] if bins else "/nowhere"))
npm.chmod(0o755)
has(run("postgresql@14.3", NPM_FAILS="1"), 2,
    "cannot fetch PostgreSQL 14.3: npm cannot list its releases: ENOTFOUND",
    "npm fails, and why")
has(run("postgresql@14.9"), 2, "npm has no such release; it has 14.3 14.30",
    "a release that npm does not have")
has(run("postgresql@14"), 2, "npm pack failed", "the newest release of a major, which the stand-in cannot pack")
check(not list(cache.iterdir()), "failures leave nothing in the cache")
if bins:
    calls.unlink()
    has(run("postgresql@14.3"), 0, "postgresql@14.3: snapshot: ok",
        "a release is fetched and started")
    place = cache / "postgresql-14.3"
    check((place / "lib/libx.so.5").resolve().name == "libx.so.5.14",
          "its links are made")
    check(not (scratch / "outside").exists() and
          sorted(p.name for p in cache.iterdir()) == [place.name],
          "inside its directory only")
    has(run("postgresql@14.3"), 0, "snapshot: ok", "it is started again")
    check(calls.read_text().split() == ["view", "pack"], "and fetched once")
    place.chmod(0o777)
    has(run("postgresql@14.3"), 2, "other users can write",
        "programs that others could have changed are not run")
else:
    skip("fetching", "PostgreSQL is not installed")
shutil.rmtree(scratch)
sys.exit(end())
