/* verify_links.c -- see verify_links.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/rows/verify_links.h"

#include "base/container/intmap.h"

static uint32_t
prev_of(const struct row_log *l, size_t entry)
{
    const struct row_entry *e = &l->entries.at[entry];
    return e->kind == ROW_WRITE ? l->contents.at[e->content].prev : ID_NONE;
}

/* Note the name of a version, which the write of an entry made. */
static void
note_name(struct intmap *names, const struct row_log *l, row_id row,
          uint32_t content, uint32_t entry)
{
    bool added;
    const uint32_t ver = l->contents.at[content].ver;
    if (ver != ID_NONE)
        intmap_add(names, (uint64_t)row << 32 | ver, entry, &added);
}

void
verify_links_init(struct verify_links *v, const struct history *h)
{
    const struct row_log *l = h->rows;
    bool any = false;
    *v = (struct verify_links){0};
    for (size_t i = 0; i < l->entries.n; i++)
        any |= prev_of(l, i) != ID_NONE;
    if (!any)
        return;
    struct intmap names = {0};
    for (row_id row = 0; row < l->rows.n; row++)
        note_name(&names, l, row, l->rows.at[row].initial, LINK_INITIAL);
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind == ROW_WRITE)
            note_name(&names, l, l->entries.at[i].row, l->entries.at[i].content,
                      (uint32_t)i);
    v->named = mem_alloc(l->entries.n, sizeof *v->named);
    for (size_t i = 0; i < l->entries.n; i++) {
        const uint32_t prev = prev_of(l, i);
        const uint64_t row = l->entries.at[i].row;
        v->named[i] = prev == ID_NONE ? ID_NONE
                      : prev == ROW_PREV_NULL
                          ? LINK_INITIAL
                          : intmap_find(&names, row << 32 | prev);
    }
    intmap_free(&names);
}

void
verify_links_free(struct verify_links *v)
{
    mem_free(v->named);
}

static txn_id
writer_of(const struct history *h, uint32_t entry)
{
    return entry == LINK_INITIAL ? TXN_INIT
                                 : h->arrival[h->rows->entries.at[entry].txn];
}

static bool
is_aborted(const struct history *h, txn_id t)
{
    return t != TXN_INIT && h->txn_status[t] == TXN_ABORTED;
}

uint32_t
verify_links_aborted(const struct verify_links *v, const struct history *h,
                     size_t entry)
{
    const uint32_t named = v->named ? v->named[entry] : ID_NONE;
    return named < LINK_INITIAL && is_aborted(h, writer_of(h, named)) &&
                   writer_of(h, named) != writer_of(h, (uint32_t)entry)
               ? h->rows->entries.at[named].content
               : ID_NONE;
}

/* Whether the transaction of an entry writes the row of the entry again. */
static bool
is_overwritten(const struct history *h, uint32_t entry)
{
    const struct row_log *l = h->rows;
    const struct row_entry *e = &l->entries.at[entry];
    for (size_t i = entry + 1;
         i < l->entries.n && l->entries.at[i].txn == e->txn; i++)
        if (l->entries.at[i].kind == ROW_WRITE &&
            l->entries.at[i].row == e->row)
            return true;
    return false;
}

/* Whether a number stands for the same thing as before; if it is new, for that
 * one from now on. */
static bool
stands_for(struct intmap *map, uint64_t number, uint32_t thing)
{
    bool added;
    return intmap_add(map, number, thing, &added) == thing;
}

static bool
is_as_recorded(const struct history *h, const struct version_link *link,
               size_t entry, uint32_t named)
{
    const row_id row = h->rows->entries.at[entry].row;
    const struct string name =
        strings_get(&h->rows->names, h->rows->rows.at[row].name);
    const struct atom key = history_key_atom(h, link->key);
    return link->after == writer_of(h, (uint32_t)entry) &&
           link->before == writer_of(h, named) && atom_is_text(key) &&
           strcmp(strings_get(&h->strings, (uint32_t)key.bits).text,
                  name.text) == 0 &&
           link->is_overwritten ==
               (named != LINK_INITIAL && is_overwritten(h, named));
}

bool
verify_links_check(const struct verify_links *v, const struct history *h,
                   struct err *err)
{
    const struct row_log *l = h->rows;
    struct intmap versions = {0}, numbers = {0};
    size_t next = 0;
    bool ok = true;
    for (size_t i = 0; ok && v->named && i < l->entries.n; i++) {
        const uint32_t named = v->named[i];
        if (named == ID_NONE ||
            writer_of(h, named) == writer_of(h, (uint32_t)i) ||
            is_aborted(h, writer_of(h, named)))
            continue;
        // Each version has one number, and each number one version.
        const uint32_t version =
            named == LINK_INITIAL
                ? (uint32_t)l->entries.n + l->entries.at[i].row
                : named;
        ok = next < h->links.n &&
             is_as_recorded(h, &h->links.at[next], i, named) &&
             stands_for(&versions, h->links.at[next].version, version) &&
             stands_for(&numbers, version, h->links.at[next].version);
        next++;
    }
    intmap_free(&versions);
    intmap_free(&numbers);
    return (ok && next == h->links.n) ||
           err_set(err, ERR_SYNTAX,
                   "the versions of a row do not name others as was recorded");
}
