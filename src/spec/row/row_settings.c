/* row_settings.c -- see row_settings.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_settings.h"

#include "driver/sql/sql.h"
#include "spec/row/row_dialect.h"

#include <string.h>

enum { NAME, VALUE, EXPECTED, COLUMNS };

static bool
ask(struct database *db, uint32_t session, const char *query,
    struct result_rows *out, struct err *err)
{
    struct connection *c;
    if (!db->driver->connect(db, session, 0, &c, err))
        return false;
    bool ok = c->driver->query(c, query, out) == OUTCOME_OK ||
              err_set(err, ERR_IO, "cannot read the settings: %s", c->message);
    ok = ok && (out->width == COLUMNS ||
                err_set(err, ERR_IO,
                        "cannot read the settings: found %zu columns, "
                        "expected %d",
                        out->width, COLUMNS));
    c->driver->disconnect(c);
    return ok;
}

/* What is expected of each setting: a value, or that of the first session. */
static bool
compare(const struct result_rows *first, const struct result_rows *rows,
        struct err *err)
{
    for (size_t i = 0; i < rows->n; i++) {
        const char *name = result_rows_get(rows, i, NAME);
        const char *value = result_rows_get(rows, i, VALUE);
        const char *expected = result_rows_get(rows, i, EXPECTED);
        char found[ERR_QUOTE_ROOM], other[ERR_QUOTE_ROOM];
        if (*expected && strcmp(value, expected) != 0)
            return err_set(
                err, ERR_USAGE,
                "%s is '%s', expected '%s': statements mean something else",
                name, err_quote(found, sizeof found, value, strlen(value)),
                expected);
        const char *same =
            i < first->n ? result_rows_get(first, i, VALUE) : value;
        if (strcmp(value, same) != 0)
            return err_set(
                err, ERR_USAGE,
                "%s is '%s' in one session and '%s' in another one, expected "
                "the same: conditions are evaluated once for all",
                name, err_quote(found, sizeof found, same, strlen(same)),
                err_quote(other, sizeof other, value, strlen(value)));
    }
    return true;
}

bool
row_settings_expect(struct database *db, struct err *err)
{
    const char *query = row_dialect_of(sql_product(db->driver))->settings;
    struct result_rows first = {0};
    bool ok = !query || ask(db, 0, query, &first, err);
    ok = ok && compare(&first, &first, err);
    for (uint32_t i = 1; query && ok && i < db->setups.n; i++) {
        struct result_rows rows = {0};
        ok = ask(db, i, query, &rows, err) && compare(&first, &rows, err);
        result_rows_free(&rows);
    }
    result_rows_free(&first);
    return ok;
}
