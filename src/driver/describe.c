/* describe.c -- see describe.h.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/describe.h"

#include "driver/sql/sql.h"

#include <assert.h>

static void
ask(struct connection *c, const char *sql, struct result_rows *rows)
{
    result_rows_clear(rows);
    if (sql && c->driver->query(c, sql, rows) != OUTCOME_OK)
        result_rows_clear(rows);
}

void
database_describe(struct database *db, struct database_facts *out)
{
    const struct dialect *dialect = db->driver->sql;
    struct connection *c;
    struct err ignored = {0};
    *out = (struct database_facts){0};
    assert(db->nodes);
    if (!dialect || (!dialect->get_isolation && !dialect->settings) ||
        !db->driver->connect(db, 0, 0, &c, &ignored))
        return;
    struct result_rows rows = {0};
    ask(c, dialect->get_isolation, &rows);
    if (rows.n)
        buf_text(&out->isolation, result_rows_get(&rows, 0, rows.width - 1));
    ask(c, dialect->settings, &rows);
    for (size_t i = 0; i < rows.n; i++)
        buf_printf(&out->settings, "%s%s = %s", i ? "\n" : "",
                   result_rows_get(&rows, i, 0), result_rows_get(&rows, i, 1));
    result_rows_free(&rows);
    db->driver->disconnect(c);
}

void
database_facts_free(struct database_facts *f)
{
    buf_free(&f->isolation);
    buf_free(&f->settings);
}
