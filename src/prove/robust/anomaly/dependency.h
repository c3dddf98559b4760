/* dependency.h -- who depends on whom in an execution of programs.
 *
 * The rules are those that proofs use for abstract runs (edges.h), on values:
 *
 *   wr  a changed what b read: whether a row satisfies b's condition, or a
 *       column of it that b uses;
 *   ww  both changed the same column, or whether the row is there, and b
 *       committed later;
 *   rw  a read, and b changes it later, or changed it unseen.
 *
 * Without a cycle the execution is serializable.  With one it may be, too:
 * nobody has to observe the difference.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_ANOMALY_DEPENDENCY_H
#define PROVE_ROBUST_ANOMALY_DEPENDENCY_H

#include "prove/robust/search/search.h"

enum dependency_kind { DEPENDENCY_WR, DEPENDENCY_WW, DEPENDENCY_RW };

/* 'to' depends on 'from'. */
struct dependency {
    enum dependency_kind kind;
    uint32_t from, to;           // members
    uint32_t from_line, to_line; // of their statements
    uint32_t table;
    const struct datum *row; // borrowed from the finding; the key counts
};

/* A shortest cycle of dependencies of an execution, or 0.  Each depends on the
 * one before it, and the first on the last. */
uint32_t dependency_cycle(const struct finding *f,
                          struct dependency out[INTERLEAVING_MOST]);

extern const char *const dependency_names[]; // "wr" and so on

#endif
