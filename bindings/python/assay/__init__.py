"""Check from a Python test whether transactions were isolated.

    import assay

    recorder = assay.Recorder()
    session = recorder.session("worker 1")
    with session.transaction() as t:
        t.read("x", db.get("x"))
        t.write("x", 2); db.put("x", 2)
    assay.check(recorder, level="si")

check raises Violation, an AssertionError, with the story of the anomaly.  The
binding needs libassay.so.1 and nothing else.  It looks for the library in the
environment variable ASSAY_LIBRARY, beside this file, and where the system keeps
libraries.
"""
import contextlib
import copy
import ctypes
import ctypes.util
import json
import math
import os
import threading
import time

__all__ = ["Error", "History", "Prediction", "Recorder", "Result", "Undecided", "Violation",
           "check", "inspect", "load", "parse", "predict", "version"]

HOLDS, VIOLATED, UNKNOWN = 0, 1, 3
_VERDICTS = {HOLDS: "ok", VIOLATED: "violated", UNKNOWN: "unknown"}
_ANSWERS = {0: "none", 1: "predicted", 3: "unknown"}
_TIMEOUT_MS, _MEMORY, _THREADS, _EXPLAIN, _WORK, _COMPLETE = 1, 2, 3, 5, 7, 9


class Error(Exception):
    """The library refused a call: bad input, a wrong level, no memory."""

    def __init__(self, message, status, line=0, column=0):
        super().__init__(message)
        self.status, self.line, self.column = status, line, column


class Violation(AssertionError):
    """A level is violated.  The message is the story, 'result' has the rest."""

    def __init__(self, result):
        super().__init__("\n" + result.text())
        self.result = result


class Undecided(AssertionError):
    """A level could not be decided: a limit was reached."""

    def __init__(self, result):
        super().__init__("\n" + result.text())
        self.result = result


# --- the library ---------------------------------------------------------------

_PROTOTYPES = """
assay_version int
assay_version_text char*
assay_new handle
assay_free void handle
assay_set int handle int int64
assay_error char*
assay_error_status int
assay_error_line uint64
assay_error_column uint64
assay_load handle handle char* char*
assay_parse handle handle char* size char*
assay_save int handle char* char*
assay_history_free void handle
assay_history_set_name int handle char*
assay_sessions uint64 handle
assay_transactions uint64 handle
assay_operations uint64 handle
assay_check handle handle handle char*
assay_result_free void handle
assay_verdict int handle
assay_result_partial uint64 handle
assay_result_levels size handle
assay_result_level char* handle size
assay_result_verdict int handle size
assay_result_reason char* handle size
assay_result_notes char* handle
assay_result_text handle handle char* size*
assay_result_save int handle char* char*
assay_certificate handle handle size size*
assay_anomaly_history handle handle size size size*
assay_predict handle handle handle char* size
assay_prediction_free void handle
assay_answer int handle
assay_prediction_levels size handle
assay_prediction_level char* handle size
assay_prediction_answer int handle size
assay_predictions size handle size
assay_predicted_history handle handle size size size*
assay_prediction_text handle handle char* size*
"""
_TYPES = {
    "void": None, "int": ctypes.c_int, "char*": ctypes.c_char_p, "handle": ctypes.c_void_p,
    "int64": ctypes.c_int64, "uint64": ctypes.c_uint64, "size": ctypes.c_size_t,
    "size*": ctypes.POINTER(ctypes.c_size_t),
}


def _open():
    here = os.path.join(os.path.dirname(__file__), "libassay.so.1")
    names = [os.environ.get("ASSAY_LIBRARY"), here if os.path.exists(here) else None,
             ctypes.util.find_library("assay"), "libassay.so.1"]
    library = ctypes.CDLL(next(name for name in names if name))
    for line in _PROTOTYPES.split("\n"):
        words = line.split()
        if words:
            function = getattr(library, words[0])
            function.restype = _TYPES[words[1]]
            function.argtypes = [_TYPES[word] for word in words[2:]]
    return library


_lib = _open()


def version():
    """The version of Assay: '0.1.0'."""
    return _lib.assay_version_text().decode()


def _fail():
    message = _lib.assay_error().decode(errors="replace")
    status = _lib.assay_error_status()
    line, column = _lib.assay_error_line(), _lib.assay_error_column()
    if status == -4:
        raise MemoryError(message)
    raise Error(message, status, line, column)


def _bytes(text):
    data = None if text is None else os.fsencode(text)
    if data and b"\0" in data:
        raise ValueError(f"{text!r} has a zero byte")  # C would see what is before it
    return data


class _Handle:
    """Frees what the library made when Python is done with it."""

    def __init__(self, pointer, free):
        if not pointer:
            _fail()
        self._pointer, self._free = pointer, free

    def __del__(self):
        if getattr(self, "_pointer", None):
            self._free(self._pointer)


class _Reports(_Handle):
    """A handle whose texts are made when they are asked for, by one thread at a time."""

    def __init__(self, pointer, free):
        super().__init__(pointer, free)
        self._lock = threading.Lock()

    def _text(self, function, *arguments):
        n = ctypes.c_size_t()
        with self._lock:
            at = function(self._pointer, *arguments, ctypes.byref(n))
            if not at:
                _fail()
            return ctypes.string_at(at, n.value)


def _assay(timeout=None, memory=None, threads=1, anomalies=5, work=None, complete=False):
    a = _Handle(_lib.assay_new(), _lib.assay_free)
    for option, value in ((_TIMEOUT_MS, math.ceil(timeout * 1000) if timeout else 0),
                          (_MEMORY, memory or 0), (_THREADS, threads), (_EXPLAIN, anomalies),
                          (_WORK, work or 0), (_COMPLETE, 1 if complete else 0)):
        if _lib.assay_set(a._pointer, option, value) != 0:
            _fail()
    return a


# --- histories -----------------------------------------------------------------


class History(_Handle):
    """A history that was read.  Made by load, parse and Recorder.finish."""

    def __init__(self, pointer):
        super().__init__(pointer, _lib.assay_history_free)

    sessions = property(lambda self: _lib.assay_sessions(self._pointer))
    transactions = property(lambda self: _lib.assay_transactions(self._pointer))
    operations = property(lambda self: _lib.assay_operations(self._pointer))

    def name(self, name):
        """What reports call the history; returns the history."""
        if _lib.assay_history_set_name(self._pointer, _bytes(name)) != 0:
            _fail()
        return self

    def save(self, path, format="jsonl"):
        if _lib.assay_save(self._pointer, _bytes(path), _bytes(format)) != 0:
            _fail()


def load(path, format=None):
    """Read the history at a path."""
    a = _assay()
    return History(_lib.assay_load(a._pointer, _bytes(path), _bytes(format)))


def parse(text, format=None):
    """Read a history from str or bytes."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    a = _assay()
    return History(_lib.assay_parse(a._pointer, data, len(data), _bytes(format)))


# --- recording -----------------------------------------------------------------


def _recorded(value):
    """The value as it is now: a store may change its lists later."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple, dict)):
        return copy.deepcopy(value)
    raise TypeError(f"a {type(value).__name__} cannot be recorded: make it a number, a text or a list of these")


class Transaction:
    """Operations of one transaction.  Give what the database returned."""

    def __init__(self, session, name, start):
        self._session, self._name, self._start = session, name, start
        self._ops, self._status, self._partial = [], "committed", []

    def _add(self, op, key, value):
        if self._session._current is not self:
            self._session._fail(f"'{op}' of a transaction that has ended")
        self._ops.append([op, _recorded(key), _recorded(value)])

    def read(self, key, value):
        """A read that returned a value; None: the key had none; a list: all elements."""
        self._add("r", key, value)
        return value

    def write(self, key, value):
        self._add("w", key, value)

    def append(self, key, element):
        self._add("append", key, element)

    def partial(self, what):
        """The transaction read more than is recorded: "which rows a statement did not find"."""
        self._partial.append(str(what))

    def op(self, operation):
        """An operation as doc/formats/jsonl.md has it, for rows and queries."""
        if self._session._current is not self:
            self._session._fail("an operation of a transaction that has ended")
        self._ops.append(copy.deepcopy(operation))

    def abort(self):
        """The transaction was rolled back."""
        self._status = "aborted"

    def unknown(self):
        """Nobody knows whether it committed."""
        self._status = "unknown"


class Session:
    """One transaction after another, on one thread at a time."""

    def __init__(self, name, clock):
        self._name, self._clock, self._lines, self._was_unknown = name, clock, [], False
        self._current = self._error = None

    def _fail(self, why):
        """Raise, and refuse the whole recording: it would lack something."""
        self._error = self._error or why
        raise RuntimeError(f"assay: session {self._name!r}: {why}")

    @contextlib.contextmanager
    def transaction(self, name=None):
        """Commits at the end of the block; an exception aborts it.

        Call unknown() where the answer to COMMIT was lost.
        """
        if self._current:
            self._fail("a transaction begins inside another one")
        t = self._current = Transaction(self, name, self._clock() if self._clock else None)
        try:
            yield t
        except BaseException:
            if t._status == "committed":
                t._status = "aborted"
            raise
        finally:
            self._end(t)

    def _end(self, t):
        end = self._clock() if self._clock else len(self._lines)
        self._current = None
        try:
            text = self._line(t, end if self._clock else None)
        except (TypeError, ValueError) as error:
            self._fail(error)
        self._was_unknown = t._status == "unknown"
        self._lines.append((end, text))

    def _line(self, t, end):
        line = {"session": self._name, "ops": t._ops}
        if self._clock:
            line["start"] = t._start
        if end is not None:
            line["end"] = end
        if t._name is not None:
            line["id"] = t._name
        if t._status != "committed":
            line["status"] = t._status
        if t._partial:
            line["partial"] = t._partial
        text = json.dumps(line) + "\n"
        if self._was_unknown:
            text = json.dumps({"session": self._name, "status": "unknown"}) + "\n" + text
        return text

    def _unfinished(self):
        """The line of a transaction that has not ended: its outcome is unknown."""
        if self._error:
            raise Error(f"session {self._name!r}: {self._error}", -1)
        t = self._current
        if not t:
            return ""
        now = copy.copy(t)
        now._status = "unknown"
        return self._line(now, None)


class Recorder:
    """Collects what sessions do.  clock=False records no times."""

    def __init__(self, clock=True):
        self._clock = time.monotonic_ns if clock else None
        self._sessions, self._lock = {}, threading.Lock()

    def session(self, name=None):
        with self._lock:
            name = f"s{len(self._sessions) + 1}" if name is None else name
            if name in self._sessions:
                raise ValueError(f"there is a session {name!r} already")
            self._sessions[name] = Session(name, self._clock)
            return self._sessions[name]

    @property
    def transactions(self):
        """How many transactions have ended."""
        return sum(len(s._lines) for s in self._sessions.values())

    def jsonl(self):
        """The recording as text, for a file or for the program.  No session may be in use."""
        lines = [line for s in self._sessions.values() for line in s._lines]
        lines.sort(key=lambda line: line[0])  # stable: sessions keep their order
        return "".join(text for _, text in lines) + "".join(s._unfinished() for s in self._sessions.values())

    def finish(self):
        return parse(self.jsonl(), "jsonl").name("recording")


# --- checking ------------------------------------------------------------------


class Result(_Reports):
    """Verdicts and explanations."""

    def __init__(self, pointer):
        super().__init__(pointer, _lib.assay_result_free)

    @property
    def verdict(self):
        """'ok', 'violated' or 'unknown': the worst of all levels."""
        return _VERDICTS[_lib.assay_verdict(self._pointer)]

    @property
    def status(self):
        """The exit status that the program would have: 0, 1 or 3."""
        return _lib.assay_verdict(self._pointer)

    @property
    def levels(self):
        """{'si': 'ok', 'ser': 'violated'}"""
        n = _lib.assay_result_levels(self._pointer)
        return {_lib.assay_result_level(self._pointer, i).decode():
                _VERDICTS[_lib.assay_result_verdict(self._pointer, i)] for i in range(n)}

    @property
    def partial(self):
        """How many transactions were recorded in part: 'ok' is meant as far as it was recorded."""
        return _lib.assay_result_partial(self._pointer)

    def show(self, format):
        """The result in a format of reports, as bytes."""
        return self._text(_lib.assay_result_text, _bytes(format))

    def text(self):
        return self.show("text").decode()

    def json(self):
        """The report as a dict."""
        return json.loads(self.show("json"))

    def save(self, path, format="html"):
        with self._lock:
            if _lib.assay_result_save(self._pointer, _bytes(format), _bytes(path)) != 0:
                _fail()

    def __repr__(self):
        return f"<assay.Result {self.levels}>"


def _history(history):
    if isinstance(history, History):
        return history
    if isinstance(history, Recorder):
        return history.finish()
    if isinstance(history, (str, os.PathLike)):
        return load(history)
    return parse("".join(json.dumps(line) + "\n" for line in history), "jsonl")


def inspect(history, level="ser", **options):
    """Decide levels ('si', 'si,ser', 'all') and return the Result.

    history is a History, a Recorder, a path, or a list of dicts as
    doc/formats/jsonl.md has them.  Options: timeout (seconds), memory (bytes),
    threads, anomalies, work (steps per level), complete (what holds as far as it
    was recorded is 'unknown').
    """
    a, h = _assay(**options), _history(history)
    return Result(_lib.assay_check(a._pointer, h._pointer, _bytes(level)))


def check(history, level="ser", report=None, **options):
    """The same; raises Violation or Undecided unless every level holds.

    report: where to write an HTML report of what failed.
    """
    result = inspect(history, level, **options)
    if result.status != HOLDS and report:
        result.save(report)
    if result.status == VIOLATED:
        raise Violation(result)
    if result.status != HOLDS:
        raise Undecided(result)
    return result


# --- predicting ----------------------------------------------------------------


class Prediction(_Reports):
    """What the same program could also have done."""

    def __init__(self, pointer):
        super().__init__(pointer, _lib.assay_prediction_free)

    @property
    def answer(self):
        """'predicted', 'none' or 'unknown': the worst of all levels."""
        return _ANSWERS[_lib.assay_answer(self._pointer)]

    @property
    def levels(self):
        """{'si': 'predicted'}"""
        n = _lib.assay_prediction_levels(self._pointer)
        return {_lib.assay_prediction_level(self._pointer, i).decode():
                _ANSWERS[_lib.assay_prediction_answer(self._pointer, i)] for i in range(n)}

    def histories(self):
        """The predicted executions, each as text in the format jsonl."""
        return [self._text(_lib.assay_predicted_history, row, i)
                for row in range(_lib.assay_prediction_levels(self._pointer))
                for i in range(_lib.assay_predictions(self._pointer, row))]

    def show(self, format):
        """All predictions as "text", "json", "markdown", "html", "svg" or "dot", as bytes."""
        return self._text(_lib.assay_prediction_text, _bytes(format))

    def text(self):
        return self.show("text").decode()

    def json(self):
        """The predictions as a dict."""
        return json.loads(self.show("json"))

    def __repr__(self):
        return f"<assay.Prediction {self.levels}>"


def predict(history, level="si", most=1, **options):
    """What could go wrong, from a run that went well.

    Looks for executions that the same program could also have had at a level
    ('si', 'rc,si', 'all', or 'postgresql:rc'), and that no serial order explains.
    """
    a, h = _assay(**options), _history(history)
    return Prediction(_lib.assay_predict(a._pointer, h._pointer, _bytes(level), most))
