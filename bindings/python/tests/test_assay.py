"""Tests of the binding: python3 -m unittest.

With ASSAY_LIST and ASSAY_OUT set, the results for the histories in the list are
written out, and tests/bindings/compare compares them with the program's.
"""
import contextlib
import os
import pathlib
import tempfile
import threading
import unittest

import assay

SKEW = [
    {"session": 1, "ops": [["r", "x", None], ["r", "y", None], ["w", "x", 1]]},
    {"session": 2, "ops": [["r", "x", None], ["r", "y", None], ["w", "y", 1]]},
]


class Store:
    """A key-value store with a bug: a read sees its snapshot, a write checks nothing."""

    def __init__(self):
        self.data = {}

    def begin(self):
        return dict(self.data)


class Checks(unittest.TestCase):
    def test_three_lines(self):
        assay.check(SKEW, level="si")
        with self.assertRaisesRegex(AssertionError, "write skew") as caught:
            assay.check(SKEW, level="ser")
        self.assertEqual(caught.exception.result.levels, {"ser": "violated"})

    def test_a_store_with_a_lost_update(self):
        store, recorder = Store(), assay.Recorder()
        snapshots = [store.begin(), store.begin()]
        for i, snapshot in enumerate(snapshots):
            with recorder.session(f"client {i}").transaction() as t:
                t.read("counter", snapshot.get("counter"))
                t.write("counter", i + 1)
                store.data["counter"] = i + 1
        with self.assertRaisesRegex(AssertionError, "lost update"):
            assay.check(recorder, level="si")

    def test_errors(self):
        with self.assertRaises(assay.Error) as caught:
            assay.parse('{"session":1,"ops":[}', "jsonl")
        self.assertEqual(caught.exception.line, 1)
        with self.assertRaises(assay.Error):
            assay.check(SKEW, level="nonsense")
        with self.assertRaises(assay.Error):
            assay.load("/nonexistent")
        with self.assertRaises(assay.Error):
            assay.inspect(SKEW).show("papyrus")

    def test_an_exception_aborts(self):
        recorder = assay.Recorder()
        session = recorder.session()
        with self.assertRaises(KeyError):
            with session.transaction() as t:
                t.write("x", 1)
                raise KeyError("x")
        with recorder.session().transaction() as t:
            t.read("x", 1)
        with self.assertRaisesRegex(AssertionError, "aborted"):
            assay.check(recorder, level="rc")

    def test_unknown_outcomes_and_no_clock(self):
        recorder = assay.Recorder(clock=False)
        session = recorder.session("s")
        with session.transaction() as t:
            t.write("x", 1)
            t.unknown()
        with session.transaction("reader") as t:
            t.read("x", 1)
            t.append("l", 5)
        history = recorder.finish()
        self.assertEqual(history.transactions, 2)
        assay.check(history)

    def test_recorded_in_part(self):
        recorder = assay.Recorder()
        with recorder.session().transaction() as t:
            t.write("x", 1)
            t.partial("which rows a statement did not find")
        result = assay.check(recorder)
        self.assertEqual((result.verdict, result.partial, recorder.transactions), ("ok", 1, 1))
        self.assertIn("as far as it was recorded", result.text())

    def test_recorded_in_part_may_be_too_little(self):
        recorder = assay.Recorder()
        with recorder.session().transaction() as t:
            t.write("x", 1)
            t.partial("reads")
        with self.assertRaises(assay.Undecided):
            assay.check(recorder, complete=True)

    def test_values_are_those_of_the_call(self):
        recorder, elements = assay.Recorder(), [1]
        with recorder.session().transaction() as t:
            t.append("l", 1)
        with recorder.session().transaction() as t:
            t.read("l", elements)
            elements.append(2)  # by the store, which nobody has read
        assay.check(recorder)

    def test_open_transactions_are_unknown(self):
        recorder = assay.Recorder()
        block = recorder.session().transaction()
        block.__enter__().write("x", 1)
        with recorder.session().transaction() as t:
            t.read("x", 1)
        result = assay.check(recorder, "strict-ser")
        self.assertEqual(result.json()["transactions"], 2)
        block.__exit__(None, None, None)

    def test_misuse_refuses_the_recording(self):
        def outside(session):
            with session.transaction() as t:
                t.write("x", 1)
            t.write("x", 2)

        def nested(session):
            with session.transaction():
                with session.transaction():
                    pass

        def strange(session):
            with session.transaction("name") as t:
                t.op(["w", "x", object])

        for misuse in (outside, nested, strange):
            recorder = assay.Recorder()
            with self.assertRaises(RuntimeError):
                misuse(recorder.session())
            with self.assertRaisesRegex(assay.Error, "session 's1'"):
                assay.check(recorder)
        with self.assertRaises(TypeError), assay.Recorder().session().transaction() as t:
            t.write("x", b"bytes")
        for value in (float("nan"), 1 << 70, "\udcff"):
            recorder = assay.Recorder()
            with recorder.session().transaction() as t:
                t.write("x", value)
            with self.assertRaises(assay.Error):
                assay.check(recorder)

    def test_options(self):
        for options in ({"timeout": -1}, {"memory": -1}, {"threads": 0}):
            with self.assertRaises(assay.Error):
                assay.inspect(SKEW, **options)
        with self.assertRaises(ValueError):
            assay.inspect(SKEW, level="si\0,ser")

    def test_predictions(self):
        serial = [SKEW[0], {"session": 2, "ops": [["r", "x", 1], ["r", "y", None], ["w", "y", 1]]}]
        prediction = assay.predict(serial)
        self.assertEqual((prediction.answer, prediction.levels), ("predicted", {"si": "predicted"}))
        self.assertIn("write skew", prediction.text())
        self.assertEqual(assay.inspect(assay.parse(prediction.histories()[0])).verdict, "violated")
        self.assertEqual(assay.predict(serial[:1], "all").answer, "none")
        with self.assertRaises(assay.Error):
            assay.predict(serial, "ser")

    def test_reports(self):
        with tempfile.TemporaryDirectory() as directory:
            page = os.path.join(directory, "report.html")
            with self.assertRaises(assay.Violation):
                assay.check(SKEW, report=page)
            self.assertIn("<html", pathlib.Path(page).read_text())
            path = os.path.join(directory, "h.hist")
            assay.parse("".join(map(_line, SKEW))).save(path, "hist")
            self.assertEqual(assay.load(path).transactions, 2)
        result = assay.inspect(SKEW, "all")
        self.assertEqual(result.json()["results"][0]["level"], "rc")

    def test_threads(self):
        wrong = []

        def run():
            for _ in range(20):
                if assay.inspect(SKEW, "ser").verdict != "violated":
                    wrong.append(1)

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless("ASSAY_LIST" in os.environ, "tests/bindings/compare sets ASSAY_LIST")
    def test_dump(self):
        out = pathlib.Path(os.environ["ASSAY_OUT"])
        for i, path in enumerate(pathlib.Path(os.environ["ASSAY_LIST"]).read_text().split("\n")):
            if path:
                result = assay.inspect(path, "all")
                (out / f"{i}.status").write_text(str(result.status))
                (out / f"{i}.text").write_bytes(result.show("text"))
                (out / f"{i}.json").write_bytes(result.show("json"))
                with contextlib.suppress(assay.Error):  # not serializable, or lists
                    (out / f"{i}.predict-json").write_bytes(assay.predict(path).show("json"))


def _line(transaction):
    import json
    return json.dumps(transaction) + "\n"


if __name__ == "__main__":
    unittest.main()
