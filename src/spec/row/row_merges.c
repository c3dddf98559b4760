/* row_merges.c -- see row_merges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_merges.h"

#include "spec/row/row_dialect.h"

#include <string.h>

/* Whether no column was changed by both of two updates of one version.  The
 * values are separated by commas, and have none inside. */
static bool
are_apart(const struct row_note *a, const struct row_note *b)
{
    const char *old = a->before.values, *x = a->after.values,
               *y = b->after.values;
    while (*old && *x && *y) {
        const size_t n = strcspn(old, ","), k = strcspn(x, ","),
                     m = strcspn(y, ",");
        const bool is_in_x = n != k || memcmp(old, x, n) != 0;
        const bool is_in_y = n != m || memcmp(old, y, n) != 0;
        if (is_in_x && is_in_y)
            return false;
        old += n + (old[n] == ',');
        x += k + (x[k] == ',');
        y += m + (y[m] == ',');
    }
    return true;
}

/* Whether the database may put an update together with one of the session's
 * committed transactions. */
static bool
is_merged(const struct row_note *n, const struct notes *notes)
{
    for (size_t t = 0; t < notes->txns.n; t++) {
        const struct noted_txn *txn = &notes->txns.at[t];
        for (size_t i = 0; txn->status == TXN_COMMITTED && i < txn->rows.n; i++)
            if (&txn->rows.at[i] != n &&
                txn->rows.at[i].kind == ROW_NOTE_UPDATE &&
                strcmp(txn->rows.at[i].before.name, n->before.name) == 0 &&
                are_apart(n, &txn->rows.at[i]))
                return true;
    }
    return false;
}

static bool
has_merge(const struct row_history *h, const struct row_note *n)
{
    bool has = false;
    for (size_t i = 0; !has && i < h->sessions_n; i++)
        has = is_merged(n, h->sessions[i].notes);
    return has;
}

uint32_t
row_merges_find(const struct row_history *h)
{
    if (!h->watched->dialect->merges_columns)
        return WATCHED_NONE;
    for (size_t i = 0; i < h->sessions_n; i++)
        for (size_t t = 0; t < h->sessions[i].notes->txns.n; t++) {
            const struct noted_txn *txn = &h->sessions[i].notes->txns.at[t];
            for (size_t k = 0; txn->status == TXN_COMMITTED && k < txn->rows.n;
                 k++)
                if (txn->rows.at[k].kind == ROW_NOTE_UPDATE &&
                    has_merge(h, &txn->rows.at[k]))
                    return txn->rows.at[k].table;
        }
    return WATCHED_NONE;
}
