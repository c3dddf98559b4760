/* isolation.c -- see isolation.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/isolation.h"

#include "history/metadata.h"

#include <string.h>

enum isolation_recorded
isolation_recorded(const struct history *h, txn_id t)
{
    if (!h->txn_meta || h->txn_meta[t] == ID_NONE)
        return ISOLATION_RECORDED_STATEMENT;
    const char *meta = strings_get(&h->strings, h->txn_meta[t]).text;
    const char *level = metadata_find(meta, "isolation");
    if (!level)
        return ISOLATION_RECORDED_STATEMENT;
    return strncmp(level, "\"serializable\"", 14) == 0
               ? ISOLATION_RECORDED_SERIALIZABLE
           : strncmp(level, "\"repeatable read\"", 17) == 0
               ? ISOLATION_RECORDED_SNAPSHOT
               : ISOLATION_RECORDED_STATEMENT;
}

const char *
isolation_recorded_sql(enum isolation_recorded i)
{
    static const char *const sql[] = {"read committed", "repeatable read",
                                      "serializable"};
    return sql[i];
}
