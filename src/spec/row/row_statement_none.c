/* row_statement_none.c -- a build without PostgreSQL's parser records registers
 * instead of rows.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_statement.h"

bool
row_statement_load(void)
{
    return false;
}

bool
row_statement_parse(const struct watched *w, struct arena *arena,
                    const char *text, struct row_statement *out,
                    struct refusal *refusal)
{
    (void)w;
    (void)arena;
    (void)text;
    (void)out;
    (void)refusal;
    assert(!"no parser was loaded");
    return false;
}

void
row_statement_free(struct row_statement *s)
{
    vec_free(&s->items);
}

bool
row_statement_answer(const struct watched *w, struct arena *arena,
                     const char *text, struct row_statement *s,
                     struct refusal *refusal)
{
    (void)w;
    (void)arena;
    (void)text;
    (void)s;
    (void)refusal;
    assert(!"no parser was loaded");
    return false;
}

bool
row_statement_created(const char *setup, struct arena *arena, text_vec *out)
{
    (void)setup;
    (void)arena;
    (void)out;
    return false;
}
