/* rebuild.c -- see rebuild.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/builder/rebuild.h"

#include "history/builder/builder.h"
#include "history/list/reader_outcomes.h"
#include "history/tested.h"

struct copying {
    const struct history *h;
    struct builder *b;
    bool numbers; // for keys and values
    // By value, by transaction: the author or the outcome is open; or NULL.
    const uint8_t *open_values, *open_txns;
};

/* Copy an atom; text moves from the old pool of strings to the new one. */
static struct atom
copy_atom(const struct copying *c, struct atom a)
{
    if (!atom_is_text(a))
        return a;
    const struct string s = strings_get(&c->h->strings, (uint32_t)a.bits);
    return builder_text(c->b, a.tag, s.text, s.len);
}

static struct atom
copy_key(const struct copying *c, key_id k)
{
    return c->numbers ? atom_int(k) : copy_atom(c, history_key_atom(c->h, k));
}

static struct atom
copy_value(const struct copying *c, value_id v)
{
    const struct atom a = history_value_atom(c->h, v);
    if (!c->numbers)
        return copy_atom(c, a);
    return atom_equal(a, c->h->initial)
               ? atom_int(0)
               : atom_int(history_shown_value(c->h, v));
}

static bool
copy_list_read(const struct copying *c, txn_id t, op_id op, struct err *err)
{
    const struct list_seen seen = history_list_seen(c->h, op);
    VEC(struct atom) elements = {0};
    for (size_t i = 0; i < seen.n; i++)
        vec_push(&elements, copy_value(c, seen.at[i]));
    const bool ok = builder_read_list(c->b, t, copy_key(c, op_key(c->h, op)),
                                      elements.at, elements.n, err);
    vec_free(&elements);
    return ok;
}

/* Whether op reads a list of which it is open what to make of it. */
static bool
is_open(const struct copying *c, txn_id t, op_id op)
{
    if (!c->open_txns || op_is_write(c->h, op))
        return false;
    const struct list_seen seen = history_list_seen(c->h, op);
    bool open = seen.n && c->open_txns[t];
    for (size_t i = 0; i < seen.n; i++)
        open |= c->open_values[seen.at[i]];
    return open;
}

static bool
copy_op(const struct copying *c, txn_id t, op_id op, struct err *err)
{
    const struct history *h = c->h;
    const struct atom key = copy_key(c, op_key(h, op));
    const struct atom value = copy_value(c, h->op_value[op]);
    const bool list = op_is_of_list(h, op);
    if (!c->numbers && !builder_copy_row(c->b, h, op_key(h, op), err))
        return false;
    if (op_is_write(h, op))
        return list ? builder_append(c->b, t, key, value, err)
                    : builder_write(c->b, t, key, value, err);
    return list ? copy_list_read(c, t, op, err)
                : builder_read(c->b, t, key, value, err);
}

static bool
copy_marked(const struct copying *c, txn_id t, op_id op, struct err *err)
{
    const size_t first = builder_ops(c->b);
    if (!copy_op(c, t, op, err))
        return false;
    builder_mark(c->b, first, c->h->op_marks ? c->h->op_marks[op] : 0);
    return true;
}

static bool
copy_txn(const struct copying *c, session_id s, txn_id from, struct err *err)
{
    const struct history *h = c->h;
    struct builder *b = c->b;
    txn_id t;
    if (!builder_txn(b, s, &t, err))
        return false;
    const enum txn_status status = (enum txn_status)h->txn_status[from];
    builder_status(
        b, t, c->numbers && status == TXN_LOADING ? TXN_COMMITTED : status);
    if (history_has_names(h))
        builder_name(b, t, copy_atom(c, history_txn_atom(h, from)));
    if (h->txn_began)
        builder_times(b, t, h->txn_began[from], h->txn_ended[from]);
    if (h->txn_line) {
        builder_keep_places(b);
        builder_place(b, t, h->txn_line[from]);
    }
    if (h->txn_meta && h->txn_meta[from] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[from]);
        builder_meta(b, t, meta.text, meta.len);
    }
    if (h->txn_partial && h->txn_partial[from] != ID_NONE) {
        const struct string partial =
            strings_get(&h->strings, h->txn_partial[from]);
        builder_partial(b, t, partial.text, partial.len);
    }
    for (op_id op = h->txn_begin[from]; op < h->txn_end[from]; op++)
        if (!op_is_inserted(h, op) && !is_open(c, from, op) &&
            !op_is_ignored(h, op) && !copy_marked(c, t, op, err))
            return false;
    return true;
}

/* Copy which versions of rows name which, but for transactions whose outcome is
 * open.  place[t] is the number of t in the copy; NULL: the same. */
static bool
copy_links(const struct copying *c, const txn_id *place, struct err *err)
{
    const struct history *h = c->h;
    bool ok = true;
    for (size_t i = 0; ok && i < h->links.n; i++) {
        struct version_link link = h->links.at[i];
        if (c->open_txns && c->open_txns[link.after])
            continue;
        if (place && link.before != TXN_INIT)
            link.before = place[link.before];
        if (place)
            link.after = place[link.after];
        ok = builder_link(c->b, copy_key(c, link.key), link, err);
    }
    return ok;
}

bool
history_rebuild_numbered(const struct history *h, struct history *out,
                         struct err *err)
{
    const struct copying c = {
        .h = h, .b = builder_new(atom_int(0)), .numbers = true};
    if (h->is_cut)
        builder_cut(c.b);
    for (session_id s = 0; s < h->n_sessions; s++) {
        const session_id to =
            builder_session(c.b, copy_atom(&c, h->session_name[s]));
        for (txn_id t = h->session_first[s]; t < h->session_first[s + 1]; t++)
            if (!copy_txn(&c, to, t, err)) {
                builder_free(c.b);
                return false;
            }
    }
    if (!copy_links(&c, NULL, err)) {
        builder_free(c.b);
        return false;
    }
    return builder_finish(c.b, out, err);
}

/* Say who is seen; arrived[t] is the place of t in the input. */
static bool
copy_authors(const struct copying *c, const txn_id *seen, const txn_id *arrived,
             struct err *err)
{
    const struct history *h = c->h;
    for (size_t i = 0; i < h->authors.n; i++) {
        const value_id v = h->authors.at[i].value;
        if (reader_outcomes_is(&h->authors.at[i])) {
            if (seen[i] < TXN_UNCHOSEN)
                builder_outcome(c->b, arrived[seen[i]]);
            continue;
        }
        if (seen[i] == TXN_UNCHOSEN)
            continue;
        if (!builder_author(c->b, arrived[seen[i]],
                            copy_key(c, h->values[v].key & OP_KEY),
                            copy_value(c, v), err))
            return false;
    }
    return true;
}

/* Copy all of h but what is open. */
static bool
copy_with_authors(const struct copying *c, const txn_id *seen,
                  struct history *out, struct err *err)
{
    const struct history *h = c->h;
    builder_keep_loading(c->b);
    if (h->is_cut)
        builder_cut(c->b);
    for (session_id s = 0; s < h->n_sessions; s++)
        builder_session(c->b, copy_atom(c, h->session_name[s]));
    txn_id *arrived = mem_alloc(h->n_txns, sizeof *arrived);
    bool ok = true;
    for (txn_id i = 0; ok && i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        arrived[t] = i;
        ok = copy_txn(c, h->txn_session[t], t, err);
    }
    ok = ok && copy_links(c, arrived, err) &&
         copy_authors(c, seen, arrived, err);
    mem_free(arrived);
    if (!ok) {
        builder_free(c->b);
        return false;
    }
    return builder_finish(c->b, out, err);
}

bool
history_rebuild_with_authors(const struct history *h, const txn_id *seen,
                             struct history *out, struct err *err)
{
    assert(!atom_is_text(h->initial)); // whose text would have to move
    uint8_t *open_values = mem_calloc(h->n_values, sizeof *open_values);
    uint8_t *open_txns = mem_calloc(h->n_txns, sizeof *open_txns);
    size_t decided = 0;
    for (size_t i = 0; i < h->authors.n; i++) {
        const struct list_author *a = &h->authors.at[i];
        decided += seen[i] != TXN_UNCHOSEN;
        if (seen[i] != TXN_UNCHOSEN)
            continue;
        if (reader_outcomes_is(a))
            open_txns[h->author_items.at[a->first]] = 1;
        else
            open_values[a->value] = 1;
    }
    const struct copying c = {.h = h,
                              .b = builder_new(h->initial),
                              .open_values = open_values,
                              .open_txns = open_txns};
    const bool ok = copy_with_authors(&c, seen, out, err);
    mem_free(open_values);
    mem_free(open_txns);
    // An element that no list shows any more leaves no choice.
    assert(!ok || out->authors.n <= decided);
    (void)decided;
    if (ok) {
        vec_clear(&out->authors);
        out->n_lone_queries = history_lone_queries(h);
    }
    return ok;
}
