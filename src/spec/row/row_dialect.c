/* row_dialect.c -- see row_dialect.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_dialect.h"

#include <string.h>

static const struct row_dialect *const dialects[] = {
    &row_dialect_postgresql, &row_dialect_sqlite, &row_dialect_mariadb};

const struct row_dialect *
row_dialect_of(const char *scheme)
{
    assert(scheme);
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
        if (strcmp(dialects[i]->scheme, scheme) == 0)
            return dialects[i];
    return NULL;
}

bool
row_dialect_ask(struct connection *c, const char *sql, struct result_rows *out,
                struct err *err)
{
    return c->driver->query(c, sql, out) == OUTCOME_OK ||
           err_set(err, ERR_IO, "cannot read the schema: %s", c->message);
}

bool
row_dialect_make(struct connection *c, struct buf *sql, struct err *err)
{
    const bool ok = c->driver->query(c, sql->at, NULL) == OUTCOME_OK;
    buf_clear(sql);
    return ok ||
           err_set(err, ERR_IO, "cannot make the triggers that record: %s",
                   c->message);
}

bool
row_dialect_is_one(const struct result_rows *r, size_t i, size_t column)
{
    return *result_rows_get(r, i, column) == '1';
}
