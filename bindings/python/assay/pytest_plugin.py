"""The plugin of pytest: a recorder that is checked when the test ends.

    @pytest.mark.assay(level="si")
    def test_transfers(assay_recorder):
        session = assay_recorder.session("worker 1")
        ...

A test that fails an isolation check fails with the story, and so does one that
passes without a transaction: nothing was tested.  --assay-report DIR writes an
HTML page for each isolation check that fails.
"""
import os
import re

import pytest

import assay


def pytest_addoption(parser):
    parser.getgroup("assay").addoption(
        "--assay-report", metavar="DIR", help="write an HTML page for each isolation check that fails")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "assay(level, clock=True, **options): the levels that assay_recorder is checked against")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call":
        item.assay_passed = report.passed


def _page(request):
    directory = request.config.getoption("--assay-report")
    if not directory:
        return None
    os.makedirs(directory, exist_ok=True)
    return os.path.join(directory, re.sub(r"[^\w.-]+", "-", request.node.nodeid) + ".html")


@pytest.fixture
def assay_recorder(request):
    """A Recorder; what it has recorded is checked at the end of the test ('ser', or the marker's level)."""
    marker = request.node.get_closest_marker("assay")
    options = dict(marker.kwargs) if marker else {}
    level = marker.args[0] if marker and marker.args else options.pop("level", "ser")
    recorder = assay.Recorder(clock=options.pop("clock", True))
    yield recorder
    if not getattr(request.node, "assay_passed", False):
        return  # it failed or was skipped: the rest of its transactions is missing
    if not recorder.jsonl():
        raise AssertionError("assay: the test recorded no transaction")
    assay.check(recorder, level, report=_page(request), **options)
