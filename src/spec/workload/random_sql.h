/* random_sql.h -- tables, indexes and transactions of SQL from a seed.
 *
 *     random         the seed of the run
 *     random:7       seed 7, whatever the seed of the run is
 *     random:7:2c    the same without the parts whose bits are in the number
 *
 * A part is an index, a constraint, a trigger, or a statement.  A name with a
 * seed and a number gives the same text always, so that a finding can be
 * reduced part by part, and repeated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_WORKLOAD_RANDOM_SQL_H
#define SPEC_WORKLOAD_RANDOM_SQL_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/err.h"

enum { RANDOM_SQL_PARTS = 64, RANDOM_SQL_SCRIPTS = 6 };

struct random_sql_name {
    bool has_seed;
    uint64_t seed;
    uint64_t left_out; // parts, as bits
};

struct random_sql {
    struct buf schema;
    struct buf cleanup; // what removes all but the tables, one per line
    struct buf scripts[RANDOM_SQL_SCRIPTS]; // without a statement: empty
    unsigned parts;
    uint64_t empty; // parts that this product does not have, as bits
};

/* Whether the name of a workload begins with "random" and ends there or goes
 * on with a colon. */
bool random_sql_is(const char *name);

bool random_sql_parse(const char *name, struct random_sql_name *out,
                      struct err *err);

/* Make the texts.  'product' is the scheme of a driver or the kind of a server;
 * what only some products have is left out elsewhere. */
void random_sql_make(uint64_t seed, uint64_t left_out, const char *product,
                     struct random_sql *out);
void random_sql_free(struct random_sql *r);

#endif
