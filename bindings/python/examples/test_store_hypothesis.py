"""Hypothesis looks for the bug of store.py, and shrinks what it finds.

Each rule is a step of one of three clients.  At the end of a run the recording
is checked; Hypothesis makes the run that fails as short as it can.
"""
import pathlib
import sys

import hypothesis
import pytest
from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

import assay

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from store import Client, Store  # noqa: E402

clients = strategies.integers(0, 2)
keys = strategies.sampled_from(["x", "y"])


class StoreMachine(RuleBasedStateMachine):
    planted_bug = True

    def __init__(self):
        super().__init__()
        self.recorder, self.values = assay.Recorder(clock=False), 0
        store = Store(self.planted_bug)
        self.clients = [Client(store, self.recorder, f"client {i}") for i in range(3)]

    def client(self, number):
        """The client, in a transaction."""
        client = self.clients[number]
        if not client.transaction:
            client.begin()
        return client

    @rule(number=clients, key=keys)
    def read(self, number, key):
        self.client(number).read(key)

    @rule(number=clients, key=keys)
    def write(self, number, key):
        self.values += 1  # each value is written once
        self.client(number).write(key, self.values)

    @precondition(lambda self: any(c.transaction for c in self.clients))
    @rule(number=clients)
    def commit(self, number):
        if self.clients[number].transaction:
            self.clients[number].commit()

    def teardown(self):
        for client in self.clients:
            if client.transaction:
                client.commit()
        if self.recorder.transactions and self.values:
            assay.check(self.recorder, level="si")


def run(planted_bug):
    machine = type("Machine", (StoreMachine,), {"planted_bug": planted_bug})
    run_state_machine_as_test(machine, settings=hypothesis.settings(
        max_examples=100, stateful_step_count=20, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(hypothesis.HealthCheck)))


def test_the_store_without_the_bug():
    run(False)


def test_the_bug_is_found_and_shrunk(capsys):
    with pytest.raises(assay.Violation, match="lost update") as caught:
        run(True)
    # Two transactions, each with a read and a write, are the smallest case.
    assert caught.value.result.json()["transactions"] <= 3
