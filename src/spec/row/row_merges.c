/* row_merges.c -- see row_merges.h.
 *
 * An update is lost if the row has exactly the version of the other one in the
 * end, and that is not the two put together.  In every other case the two are
 * taken to have been put together: nobody may have seen the row since, or a
 * third transaction may have changed it.
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

/* Put two such updates together. */
static void
put_together(const struct row_note *a, const struct row_note *b,
             struct buf *out)
{
    const char *old = a->before.values, *x = a->after.values,
               *y = b->after.values;
    while (*old && *x && *y) {
        const size_t n = strcspn(old, ","), k = strcspn(x, ","),
                     m = strcspn(y, ",");
        const bool is_in_x = n != k || memcmp(old, x, n) != 0;
        buf_add(out, is_in_x ? x : y, is_in_x ? k : m);
        old += n + (old[n] == ',');
        x += k + (x[k] == ',');
        y += m + (y[m] == ',');
        buf_text(out, *old ? "," : "");
    }
}

/* Whether one of two updates of a version is lost: the row has the version of
 * the other one in the end. */
static bool
is_lost(const struct row_history *h, const struct row_note *a,
        const struct row_note *b)
{
    struct buf both = {0};
    bool lost = false;
    put_together(a, b, &both);
    for (size_t i = 0; !lost && i < h->final->rows.n; i++) {
        const struct row_note *r = &h->final->rows.at[i];
        lost = r->table == a->table &&
               (strcmp(r->before.name, a->after.name) == 0 ||
                strcmp(r->before.name, b->after.name) == 0) &&
               strcmp(r->before.values, both.n ? both.at : "") != 0;
    }
    buf_free(&both);
    return lost;
}

/* Compare an update with those of the session's committed transactions: whether
 * the database may have put it together with one of them. */
static bool
is_merged(const struct row_history *h, const struct row_note *n,
          const struct notes *notes, bool *loses)
{
    for (size_t t = 0; t < notes->txns.n; t++) {
        const struct noted_txn *txn = &notes->txns.at[t];
        for (size_t i = 0; txn->status == TXN_COMMITTED && i < txn->rows.n;
             i++) {
            const struct row_note *other = &txn->rows.at[i];
            if (other == n || other->kind != ROW_NOTE_UPDATE ||
                strcmp(other->before.name, n->before.name) != 0 ||
                !are_apart(n, other))
                continue;
            if (!is_lost(h, n, other))
                return true;
            *loses = true;
        }
    }
    return false;
}

static bool
has_merge(const struct row_history *h, const struct row_note *n, bool *loses)
{
    bool has = false;
    for (size_t i = 0; !has && i < h->sessions_n; i++)
        has = is_merged(h, n, h->sessions[i].notes, loses);
    return has;
}

uint32_t
row_merges_find(const struct row_history *h, bool *loses)
{
    *loses = false;
    if (!h->watched->dialect->merges_columns)
        return WATCHED_NONE;
    for (size_t i = 0; i < h->sessions_n; i++)
        for (size_t t = 0; t < h->sessions[i].notes->txns.n; t++) {
            const struct noted_txn *txn = &h->sessions[i].notes->txns.at[t];
            for (size_t k = 0; txn->status == TXN_COMMITTED && k < txn->rows.n;
                 k++)
                if (txn->rows.at[k].kind == ROW_NOTE_UPDATE &&
                    has_merge(h, &txn->rows.at[k], loses))
                    return txn->rows.at[k].table;
        }
    return WATCHED_NONE;
}
