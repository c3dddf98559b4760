"""A test that finds the bug of store.py: python3 -m pytest test_store.py"""
import pathlib
import sys

import pytest

import assay

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from store import Client, Store  # noqa: E402


def increment_at_once(recorder, store):
    """Two clients add to one counter at the same time."""
    clients = [Client(store, recorder, f"client {i}") for i in (1, 2)]
    for client in clients:
        client.begin()
    for i, client in enumerate(clients):
        client.write("counter", (client.read("counter") or 0) + 10 ** i)
    for client in clients:
        client.commit()


@pytest.mark.assay(level="si")
def test_the_store_without_the_bug(assay_recorder):
    increment_at_once(assay_recorder, Store(planted_bug=False))


def test_the_bug_is_found():
    recorder = assay.Recorder()
    increment_at_once(recorder, Store())
    with pytest.raises(assay.Violation, match="lost update"):
        assay.check(recorder, level="si")
