/* isolation.h -- at which level each function runs.
 *
 * Most often all functions run at one level.  Where they do not, there are two
 * families, which cannot be mixed:
 *
 *   rc, si, ser        as PostgreSQL has them.  It tracks the dependencies of
 *                      serializable transactions among each other only: one
 *                      of them is refused where it is the pivot between two
 *                      others (or one other) that are serializable, too;
 *   ec, cc, pc, psi,   rules about what a transaction sees: each has those of
 *   si, ser            its own level, and of two that conflict one sees the
 *                      other where both run at psi, si or ser.
 *
 * InnoDB's REPEATABLE READ (my-rr) is for all functions: plain queries see the
 * snapshot, statements that write or lock see the latest rows, and nothing is
 * refused.
 *
 * Two functions may also be declared never to run concurrently.  A level of the
 * user's own (axioms.h) is for all functions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_ISOLATION_H
#define PROVE_EXECUTE_ISOLATION_H

#include "level/level.h"
#include "prove/execute/axioms.h"
#include "prove/program/ir.h"

#include <stdint.h>

struct level_choice {
    enum level common;  // of functions that are given no other
    enum level *levels; // of each function; NULL: 'common'
    bool *pairs; // [f * functions + g]: not concurrent; NULL: no such pair
    uint32_t functions;
    // InnoDB's REPEATABLE READ instead; 'common' is pc.
    bool innodb;
    // A level of the user's own instead of all this; borrowed.
    const struct axioms *own;
    const char *name; // of it
};

/* How executions are put together: see interleaving.h. */
enum shape { SHAPE_VISIBLE, SHAPE_DELAYED, SHAPE_INTERRUPTED };

/* Give one function a level, or declare a pair of functions; what this takes
 * is to be freed. */
void isolation_set(struct level_choice *i, const struct program *p,
                   uint32_t function, enum level level);
void isolation_pair(struct level_choice *i, const struct program *p, uint32_t f,
                    uint32_t g);
void isolation_copy(struct level_choice *to, const struct level_choice *from);
void isolation_free(struct level_choice *i);

enum level isolation_of(const struct level_choice *i, uint32_t function);
/* Whether of two members that conflict one sees the other. */
bool isolation_minds(const struct level_choice *i, uint32_t f, uint32_t g);
bool isolation_is_paired(const struct level_choice *i, uint32_t f, uint32_t g);
bool isolation_is_mixed(const struct level_choice *i);

/* The shape in which function 'p' is the one that is delayed or interrupted;
 * SHAPE_VISIBLE where there is none such. */
enum shape isolation_shape(const struct level_choice *i, uint32_t p);

/* The strongest levels that all functions satisfy. */
level_set isolation_shared(const struct level_choice *i);

/* Whether every function runs at rc, si or ser. */
bool isolation_is_postgresql(const struct level_choice *i);

/* Whether the levels belong to one family. */
bool isolation_is_family(const struct level_choice *i);

/* Whether the statement only reads, and locks nothing. */
bool isolation_is_plain(const struct statement *s);

/* Whether the statement, when it has to wait, chooses rows before the wait and
 * changes them after it. */
bool isolation_can_wait(const struct statement *s);

#endif
