"""What it costs to record a transaction of four operations with the binding for Python.

    ASSAY_LIBRARY=build/src/libassay.so.1 PYTHONPATH=bindings/python python3 bench/recording.py [TRANSACTIONS]

Prints microseconds of CPU time for each transaction, and for finishing it.
"""
import sys
import time

import assay

KEYS = 1000
txns = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
recorder, values = assay.Recorder(), {}
session = recorder.session()
began = time.thread_time()
for i in range(txns):
    x, y = f"k{i % KEYS}", f"k{(i * 7 + 1) % KEYS}"
    with session.transaction() as t:
        t.read(x, values.get(x))
        values[x] = 2 * i + 1
        t.write(x, 2 * i + 1)
        t.read(y, values.get(y))
        values[y] = 2 * i + 2
        t.write(y, 2 * i + 2)
recorded = time.thread_time()
history = recorder.finish()
finished = time.thread_time()
assert history.transactions == txns
print(f"{(recorded - began) / txns * 1e6:.1f} us for each transaction, {(finished - recorded) / txns * 1e6:.1f} us to finish it")
