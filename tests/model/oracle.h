/* oracle.h -- does a small history satisfy a level?  By trying everything.
 *
 * Written from levels.md alone, slow and obvious; it shares no data and no code
 * with the engines or with resolution.  What is tried:
 *
 *   - which indeterminate transactions count;
 *   - in which order each list grew: which transaction appended each run of
 *     elements that the lists of counting transactions show;
 *   - which writer each external read of a register read from;
 *   - at rc, ra and cc nothing more: the edges that every commit order has must
 *     be acyclic;
 *   - at psi the order of the versions of each key;
 *   - at pc, si, ser and the strict levels all this at once, by running the
 *     transactions on a store in every order of starts and commits.
 *
 * One order of a list for all its readers is what levels.md asks for: "co
 * orders the appenders of a key as the lists show, those seen before those
 * not seen".  Were a repeated element of one list T's and of another U's,
 * each of them would have to come before the other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_ORACLE_H
#define MODEL_ORACLE_H

#include "level/level.h"
#include "view.h"

enum oracle_answer {
    ORACLE_TOO_LONG, // it would take too many steps
    ORACLE_OK,
    ORACLE_VIOLATED,
};

enum {
    ORACLE_STEPS = 2000000,
    ORACLE_OPS = 512,     // in all; more is too long
    ORACLE_RUN_TXNS = 12, // pc, si, ser, strict levels: more is too long
};

enum oracle_answer oracle(const struct record *r, enum level l);

/* The same for rc, ra, cc, pc, si and ser by the axiom on commit orders, trying
 * every total order of the counting transactions, for at most 6 of them.  Other
 * code for the same definition, to check the oracle with. */
enum oracle_answer oracle_by_axiom(const struct record *r, enum level l);

/* --- the two halves ------------------------------------------------------ */

/* Choices first, for reads, rc, ra, cc and psi; with by_axiom, see above. */
enum oracle_answer oracle_choose(const struct view *v, enum level l,
                                 bool by_axiom);

/* Runs on a store, for pc, si, ser, strict-si and strict-ser. */
enum oracle_answer oracle_run(const struct view *v, enum level l);

#endif
