"""The plugin, seen from outside: pytest runs a file of tests."""
import pathlib
import subprocess
import sys

TESTS = '''
import pytest

def run(recorder, keys):
    for key in keys:
        with recorder.session("writer of " + key).transaction() as t:
            t.read("x", None)
            t.read("y", None)
            t.write(key, 1)

@pytest.mark.assay(level="si")
def test_allowed(assay_recorder):
    run(assay_recorder, "xy")

@pytest.mark.assay("ser", clock=False)
def test_skew(assay_recorder):
    run(assay_recorder, "xy")

def test_nothing_is_recorded(assay_recorder):
    pass

def test_skipped(assay_recorder):
    pytest.skip("no database")
'''


def test_plugin(tmp_path):
    (tmp_path / "test_store.py").write_text(TESTS)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers",
                           "--assay-report", tmp_path / "reports", tmp_path], capture_output=True, text=True)
    assert "3 passed, 1 skipped, 2 errors" in done.stdout, done.stdout + done.stderr
    assert "write skew" in done.stdout
    assert "recorded no transaction" in done.stdout
    pages = list(pathlib.Path(tmp_path, "reports").glob("*.html"))
    assert len(pages) == 1 and "test_skew" in pages[0].name
