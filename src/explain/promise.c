/* promise.c -- see promise.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/promise.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *prefix;
    enum product product;
} products[] = {
    {"PostgreSQL", PRODUCT_POSTGRESQL}, {"MariaDB", PRODUCT_MARIADB},
    {"MySQL", PRODUCT_MARIADB},         {"SQLite", PRODUCT_SQLITE},
    {"DuckDB", PRODUCT_DUCKDB},         {"Firebird", PRODUCT_FIREBIRD},
    {"exec:", PRODUCT_STORE},
};

enum product
product_of(const char *database)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const size_t n = strlen(products[i].prefix);
        if (strncmp(database, products[i].prefix, n) == 0)
            return products[i].product;
    }
    return PRODUCT_UNKNOWN;
}

// By the level that is in use; no isolation stands for any.
static const struct {
    enum product product;
    enum advice_isolation isolation;
    const char *setting; // that is needed; or NULL
    const char *name;
    enum level level;
} promises[] = {
    {PRODUCT_POSTGRESQL, ADVICE_READ_UNCOMMITTED, NULL, "PostgreSQL", LEVEL_RC},
    {PRODUCT_POSTGRESQL, ADVICE_READ_COMMITTED, NULL, "PostgreSQL", LEVEL_RC},
    {PRODUCT_POSTGRESQL, ADVICE_REPEATABLE_READ, NULL, "PostgreSQL", LEVEL_SI},
    {PRODUCT_POSTGRESQL, ADVICE_SERIALIZABLE, NULL, "PostgreSQL", LEVEL_SER},
    {PRODUCT_MARIADB, ADVICE_READ_COMMITTED, NULL, "MariaDB", LEVEL_RC},
    {PRODUCT_MARIADB, ADVICE_REPEATABLE_READ, "innodb_snapshot_isolation = ON",
     "MariaDB", LEVEL_SI},
    {PRODUCT_MARIADB, ADVICE_REPEATABLE_READ, NULL, "MariaDB", LEVEL_RC},
    {PRODUCT_MARIADB, ADVICE_SERIALIZABLE, NULL, "MariaDB", LEVEL_SER},
    {PRODUCT_SQLITE, ADVICE_NO_ISOLATION, NULL, "SQLite", LEVEL_SER},
    {PRODUCT_DUCKDB, ADVICE_NO_ISOLATION, NULL, "DuckDB", LEVEL_SI},
    {PRODUCT_FIREBIRD, ADVICE_READ_COMMITTED, NULL, "Firebird", LEVEL_RC},
    {PRODUCT_FIREBIRD, ADVICE_REPEATABLE_READ, NULL, "Firebird", LEVEL_SI},
};

bool
promise_find(const char *database, enum advice_isolation isolation,
             const char *settings, struct promise *out)
{
    const enum product product = product_of(database);
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        if (promises[i].product != product ||
            (promises[i].isolation && promises[i].isolation != isolation) ||
            (promises[i].setting && !strstr(settings, promises[i].setting)))
            continue;
        *out = (struct promise){promises[i].name, promises[i].level};
        if (strncmp(database, "MySQL", 5) == 0)
            out->name = "MySQL";
        return true;
    }
    return false;
}
