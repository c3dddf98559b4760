/* row_dialect.c -- see row_dialect.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_dialect.h"

#include "base/ascii.h"

#include <string.h>

static const struct row_dialect *const dialects[] = {
    &row_dialect_postgresql, &row_dialect_sqlite, &row_dialect_mariadb,
    &row_dialect_duckdb};

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

bool
row_dialect_has_word(const char *scheme, const char *sql, const char *word)
{
    token_vec tokens = {0};
    bool has = false;
    tokens_read(sql, flavour_of(scheme), &tokens);
    for (size_t i = 0; !has && i < tokens.n; i++)
        has = tokens.at[i].kind == TOKEN_WORD &&
              tokens.at[i].n == strlen(word) &&
              ascii_compare_n(tokens.at[i].at, word, tokens.at[i].n) == 0;
    vec_free(&tokens);
    return has;
}

const char *
row_dialect_name(struct watched *w, const char *name,
                 void (*put_name)(struct buf *sql, const char *name))
{
    bool is_plain = ascii_is_alpha(*name) || *name == '_';
    for (const char *c = name; *c; c++)
        is_plain = is_plain && (ascii_is_alnum(*c) || *c == '_');
    if (is_plain)
        return watched_copy(w, name);
    struct buf quoted = {0};
    put_name(&quoted, name);
    const char *text = watched_copy(w, quoted.at);
    buf_free(&quoted);
    return text;
}

void
row_dialect_put_version(struct buf *sql, const struct watched_table *t,
                        size_t n, const char *values)
{
    (void)t;
    buf_printf(sql, "(%zu, %s)", n, values);
}

void
row_dialect_put_temporary(struct buf *sql, const char *alias)
{
    buf_printf(sql, "temp.assay_versions as %s", alias ? alias : "assay_t");
}
