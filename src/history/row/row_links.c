/* row_links.c -- see row_links.h.
 *
 *   (1) the operations of a transaction are adjacent in the log, so versions of
 *       a row by one transaction are too;
 *   (2) before[v] < v or it is of another transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_links.h"

static bool
is_any_named(const struct row_log *l)
{
    for (size_t i = 0; i < l->contents.n; i++)
        if (l->contents.at[i].prev != ID_NONE)
            return true;
    return false;
}

/* Say what is wrong with the version that a write of a row names. */
static bool
refuse(const struct row_log *l, const struct row_entry *e, const char *what,
       struct err *err)
{
    char row[ERR_QUOTE_ROOM], prev[ERR_QUOTE_ROOM];
    const uint32_t name = l->contents.at[e->content].prev;
    const struct string of = strings_get(&l->names, l->rows.at[e->row].name);
    const struct string said = name == ROW_PREV_NULL
                                   ? (struct string){"null", 4}
                                   : strings_get(&l->names, name);
    return err_set(err, ERR_SYNTAX, "found 'prev' %s of row %s, %s",
                   err_quote(prev, sizeof prev, said.text, said.len),
                   err_quote(row, sizeof row, of.text, of.len), what);
}

/* The names of the versions of all rows: of row and name, the version, or
 * SEVERAL. */
#define SEVERAL (UINT32_MAX - 1)

static uint64_t
name_key(row_id row, uint32_t name)
{
    return (uint64_t)row << 32 | name;
}

static void
index_names(const struct row_questions *q, struct intmap *names,
            struct intmap *repeated)
{
    for (row_id row = 0; row < q->l->rows.n; row++)
        for (uint32_t v = q->first[row]; v < q->first[row + 1]; v++) {
            const uint32_t ver = q->l->contents.at[q->versions.at[v]].ver;
            bool added, ignored;
            if (ver == ID_NONE)
                continue;
            intmap_add(names, name_key(row, ver), v, &added);
            if (!added)
                intmap_add(repeated, name_key(row, ver), SEVERAL, &ignored);
        }
}

/* Note who wrote each version. */
static void
find_writers(struct row_links *k)
{
    const struct row_log *l = k->q->l;
    uint32_t *next = mem_alloc(l->rows.n, sizeof *next);
    for (row_id row = 0; row < l->rows.n; row++) {
        next[row] = k->q->first[row];
        k->writer[next[row]++] = TXN_INIT;
    }
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind == ROW_WRITE)
            k->writer[next[l->entries.at[i].row]++] = l->entries.at[i].txn;
    mem_free(next);
}

/* Find the version that e, which makes version v, names. */
static bool
find_before(struct row_links *k, const struct row_entry *e, uint32_t v,
            const struct intmap *names, const struct intmap *repeated,
            struct err *err)
{
    const struct row_questions *q = k->q;
    const struct row_log *l = q->l;
    const uint32_t name = l->contents.at[e->content].prev;
    const bool own = k->writer[v - 1] == e->txn; // (1)
    uint32_t before = q->first[e->row];
    if (name == ROW_PREV_NULL &&
        !l->contents.at[q->versions.at[before]].is_absent)
        return refuse(l, e,
                      "expected the name of a version: the row is there "
                      "in the beginning",
                      err);
    if (name != ROW_PREV_NULL) {
        before = intmap_find(names, name_key(e->row, name));
        if (intmap_find(repeated, name_key(e->row, name)) == SEVERAL)
            return refuse(l, e,
                          "which several versions have, expected the "
                          "name of one",
                          err);
    }
    if (before == UINT32_MAX && !builder_is_cut(k->b))
        return refuse(l, e, "expected the name of a version of the row", err);
    if (before == v || (own && before != v - 1) ||
        (!own && before != UINT32_MAX && k->writer[before] == e->txn))
        return refuse(l, e,
                      own ? "expected the version that its transaction "
                            "wrote right before"
                          : "expected a version that was written before",
                      err);
    k->before[v] = before;
    return true;
}

bool
row_links_init(struct row_links *k, const struct row_questions *q,
               const struct builder *b, const char **at, struct err *err)
{
    const struct row_log *l = q->l;
    *k = (struct row_links){.q = q, .b = b};
    if (!is_any_named(l))
        return true;
    const uint32_t n = q->first[l->rows.n];
    k->writer = mem_alloc(n, sizeof *k->writer);
    k->before = mem_alloc(n, sizeof *k->before);
    memset(k->before, 0xff, n * sizeof *k->before); // ID_NONE
    find_writers(k);
    struct intmap names = {0}, repeated = {0};
    index_names(q, &names, &repeated);
    uint32_t *next = mem_alloc(l->rows.n, sizeof *next);
    for (row_id row = 0; row < l->rows.n; row++)
        next[row] = q->first[row] + 1;
    bool ok = true;
    for (size_t i = 0; ok && i < l->entries.n; i++) {
        const struct row_entry *e = &l->entries.at[i];
        if (e->kind != ROW_WRITE)
            continue;
        const uint32_t v = next[e->row]++;
        *at = e->at;
        if (l->contents.at[e->content].prev != ID_NONE)
            ok = find_before(k, e, v, &names, &repeated, err);
    }
    mem_free(next);
    intmap_free(&names);
    intmap_free(&repeated);
    return ok;
}

void
row_links_free(struct row_links *k)
{
    mem_free(k->writer);
    mem_free(k->before);
}

enum row_link
row_links_of(const struct row_links *k, row_id row, uint32_t v,
             struct version_link *out)
{
    if (!k->before || k->before[v] == ID_NONE)
        return ROW_LINK_NONE;
    const uint32_t p = k->before[v];
    const txn_id t = k->writer[p];
    assert(v > k->q->first[row] && v < k->q->first[row + 1]);
    assert(p >= k->q->first[row] && p < k->q->first[row + 1]);
    if (t == k->writer[v])
        return ROW_LINK_NONE; // program order says so
    if (t != TXN_INIT && builder_status_of(k->b, t) == TXN_ABORTED)
        return ROW_LINK_ABORTED;
    *out = (struct version_link){
        .before = t,
        .after = k->writer[v],
        .version = p,
        .is_overwritten = t != TXN_INIT && p + 1 < k->q->first[row + 1] &&
                          k->writer[p + 1] == t}; // (1)
    return ROW_LINK_ORDER;
}
