/* promise.h -- what the manuals of databases promise of their levels.
 *
 * doc/databases.md says more, and what was found.  A database, a level or a
 * way to run it that is not in the table promises nothing here: no sentence is
 * better than a wrong one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_PROMISE_H
#define EXPLAIN_PROMISE_H

#include "explain/advice.h"
#include "level/level.h"

/* Which kind of database, by the beginning of the name that it gives itself:
 * "PostgreSQL 15.18". */
enum product {
    PRODUCT_UNKNOWN, // or not a database
    PRODUCT_POSTGRESQL,
    PRODUCT_MARIADB, // and MySQL
    PRODUCT_SQLITE,
    PRODUCT_DUCKDB,
    PRODUCT_FIREBIRD,
    PRODUCT_STORE, // a program of the user's, by exec:
    PRODUCTS
};

enum product product_of(const char *database);

struct promise {
    const char *name; // "PostgreSQL"
    enum level level;
};

/* What one node of the database promises at this level, with these settings
 * ("name = value" lines); false if it is not known. */
bool promise_find(const char *database, enum advice_isolation isolation,
                  const char *settings, struct promise *out);

#endif
