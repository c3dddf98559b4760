/* spec.h -- scripted interleavings: the language of PostgreSQL's isolation
 * tester.
 *
 *     setup       { create table t (id int primary key, value int); ... }
 *     teardown    { drop table t; }
 *     session s1
 *     setup       { begin; }
 *     step r1     { select value from t where id = 1; }
 *     step c1     { commit; }
 *     session s2
 *     ...
 *     permutation r1 w2 c1 c2
 *
 * Without a permutation, all interleavings of the sessions' steps are run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"

#include <stddef.h>

/* SQL between braces, and where it begins in the file. */
struct spec_block {
    const char *sql; // "" if there is none
    uint64_t line, column;
};

struct spec_step {
    const char *name;
    struct spec_block block;
    uint32_t session;
};

struct spec_session {
    const char *name;
    struct spec_block setup, teardown;
    uint32_t first, n; // its first step, and how many it has
};

struct spec {
    char file[256]; // "" where unknown
    VEC(struct spec_block) setups;
    struct spec_block teardown;
    VEC(struct spec_session) sessions;
    VEC(struct spec_step) steps; // by session
    u32_vec permutations;        // the steps of all permutations
    u32_vec permutation_ends;    // where each permutation ends
    struct arena arena;
};

/* Parse a specification; errors carry line and column. */
bool spec_parse(const char *text, size_t len, struct spec *out,
                struct err *err);
bool spec_read(const char *path, struct spec *out, struct err *err);
void spec_free(struct spec *s);

/* How many permutations to run: those that are listed, or else all, at most
 * 'most'. */
size_t spec_count(const struct spec *s, size_t most);

/* Enumerate them.  'order' is empty at first; each call that returns true puts
 * the next permutation into it. */
bool spec_next(const struct spec *s, size_t index, u32_vec *order);

#endif
