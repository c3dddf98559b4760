/* known.h -- findings that are known, with the reason.
 *
 *     # target | level | kind | tables | shape = reason
 *     start=mariadb | si | lost-update | * | * = REPEATABLE READ reads ...
 *
 * Each field is a pattern of the shell for the whole field.  The target is as
 * reports show it: with its isolation level and setup, if the plan gives them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_KNOWN_H
#define CAMPAIGN_KNOWN_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "campaign/outcome.h"

enum {
    KNOWN_TARGET,
    KNOWN_LEVEL,
    KNOWN_KIND,
    KNOWN_TABLES,
    KNOWN_SHAPE,
    KNOWN_FIELDS
};

struct known_finding {
    const char *fields[KNOWN_FIELDS];
    const char *reason;
};

/* All-zero knows nothing. */
struct known {
    VEC(struct known_finding) rows;
    size_t stock; // the first ones, which ship with this program
    struct arena arena;
};

/* Add the rows of a text, which 'name' names in messages. */
bool known_read(struct known *k, const char *name, const char *text, size_t n,
                struct err *err);

/* Add what is known of PostgreSQL, MariaDB, SQLite and DuckDB as they come. */
void known_add_stock(struct known *k);

/* Whether a row is about a target and level, and whether it matches a finding
 * there. */
bool known_is_about(const struct known_finding *k, const char *target,
                    const char *level);
bool known_matches(const struct known_finding *k, const char *target,
                   const char *level, const struct campaign_finding *f);

/* Append the row, as files have it. */
void known_put(const struct known_finding *k, struct buf *out);

/* The reason of a finding, or NULL if it is new. */
const char *known_reason(const struct known *k, const char *target,
                         const char *level, const struct campaign_finding *f);

void known_free(struct known *k);

#endif
