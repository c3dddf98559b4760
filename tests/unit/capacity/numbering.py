#!/usr/bin/env python3
"""Which sources ask about a capacity, themselves or in a header of theirs?

    numbering.py SRC FILE...

SRC is where the names of headers begin.  Prints those FILEs, one a line.
"""
import pathlib
import re
import sys

src, files = pathlib.Path(sys.argv[1]), sys.argv[2:]
ASKS = re.compile(r"\bcapacity_(holds|want|index|epoch)\(")
SELF = src / "base/limits/capacity.h"  # whoever includes this may still not ask
known = {}


def asks(path):
    """Whether this file or one that it includes does."""
    if path not in known:
        known[path] = False  # includes have no cycles
        text = path.read_text()
        headers = (src / name for name in re.findall(r'(?m)^#include "(.*)"', text))
        known[path] = path != SELF and (
            bool(ASKS.search(text)) or any(asks(h) for h in headers if h.exists()))
    return known[path]


print("\n".join(name for name in files if asks(pathlib.Path(name))))
