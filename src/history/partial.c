/* partial.c -- see partial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/partial.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool
is_partial(const struct history *h, txn_id t)
{
    return h->txn_partial && h->txn_partial[t] != ID_NONE;
}

static bool
may_count(const struct history *h, txn_id t)
{
    return h->txn_status[t] != TXN_ABORTED;
}

/* The end of the JSON string at 'at', which is in the form that readers
 * store. */
static const char *
string_end(const char *at)
{
    assert(*at == '"');
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

/* Count the strings of an array. */
static void
count_strings(struct partial *p, const char *array)
{
    for (const char *at = strchr(array, '"'); at; at = strchr(at, '"')) {
        const char *end = string_end(at);
        const uint32_t id = strings_add(&p->what, at, (size_t)(end - at));
        if (id == p->what_of.n)
            vec_push(&p->what_of, 0);
        p->what_of.at[id]++;
        at = end;
    }
}

void
partial_of(const struct history *h, struct partial *out)
{
    *out = (struct partial){0};
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!may_count(h, t))
            continue;
        out->of++;
        if (!is_partial(h, t))
            continue;
        out->txns++;
        count_strings(out, strings_get(&h->strings, h->txn_partial[t]).text);
    }
}

void
partial_free(struct partial *p)
{
    strings_free(&p->what);
    vec_free(&p->what_of);
}

void
partial_tell(const struct history *h, char *out, size_t room)
{
    *out = 0;
    uint64_t n = 0, of = 0;
    for (txn_id t = 0; h->txn_partial && t < h->n_txns; t++) {
        of += may_count(h, t);
        n += may_count(h, t) && is_partial(h, t);
    }
    if (n)
        snprintf(out, room,
                 "as far as it was recorded: %llu of %llu transaction%s ha%s "
                 "reads that were not",
                 (unsigned long long)n, (unsigned long long)of,
                 of == 1 ? "" : "s", n == 1 ? "s" : "ve");
}
