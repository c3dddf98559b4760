/* lint.h -- mistakes of a recorder, found in the history that it wrote.
 *
 * A verdict assumes that the recording is correct (doc/limits.md).  A recorder
 * that misses writers, mixes clients in one session or compares different
 * clocks accuses a database that did nothing wrong.  Such mistakes leave
 * traces.  Each rule counts one kind of trace and has its advice; a rule about
 * keys counts per table, that is the part of a key before the first ':', '/' or
 * '('.
 *
 * No rule decides anything: a trace may also be an anomaly of the database.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LINT_H
#define HISTORY_LINT_H

#include "base/buf.h"
#include "history/history.h"

enum { LINT_EXAMPLES = 3 };

struct lint_rule {
    const char *name;
    bool is_mistake; // of the recorder; otherwise a weakness of the test
    const char *advice;
};

enum lint_kind {
    LINT_NO_WRITER,
    LINT_ABORTED_WRITER,
    LINT_SESSION_OVERLAP,
    LINT_CLOCKS,
    LINT_AFTER_UNKNOWN,
    LINT_NOTHING_TESTED,
    LINT_UNKNOWN_OUTCOMES,
    LINT_EMPTY,
    LINT_SINGLE_SESSIONS,
    LINT_REPEATED_VALUES,
    LINT_NEVER_WRITTEN,
    LINT_NEVER_READ,
    LINT_KINDS
};

extern const struct lint_rule lint_rules[LINT_KINDS];

struct lint_finding {
    enum lint_kind kind;
    uint64_t n;
    struct buf text;  // what was found, with the count: one line
    struct buf table; // empty where the rule is not about a table, or the keys
                      // have no tables
    struct buf examples[LINT_EXAMPLES]; // the first ones; empty at the end
};

struct lint {
    VEC(struct lint_finding) findings; // by rule, the most frequent table first
};

/* Find the traces of mistakes in a resolved history.
 *
 *   time  O(operations + keys), and sorting tables */
void lint_history(const struct history *h, struct lint *out);
void lint_free(struct lint *l);

#endif
