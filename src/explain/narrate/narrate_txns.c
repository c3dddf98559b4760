/* narrate_txns.c -- the transactions of an anomaly and some around it; see
 * narrate.h.
 *
 * A transaction of few operations is listed with all of them, so that a reader
 * recognises it, and those that matter are marked; of a long one only those
 * that matter are listed.  They are found by going through both transactions,
 * the reduced and the whole one, side by side: the first is a subsequence of
 * the second, except that its lists may be shorter, which is not shown.
 *
 * Neighbours are what the sessions did right before and after, which is where
 * one looks next in a log.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate.h"

#include "explain/place.h"
#include "history/row/row_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_OPS = 8, MOST_TXNS = 64, MOST_STATEMENTS = 8 };

static const char *
raw_atom(struct narration *t, const struct history *h, struct atom a)
{
    if (atom_is_text(a)) {
        const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
        return arena_copy(&t->a->arena, s.text, s.len);
    }
    atom_show(&h->strings, a, &t->b);
    return narrate_keep(t);
}

static const char *
id_of(struct narration *t, txn_id whole)
{
    const struct atom name = history_txn_atom(t->whole, whole);
    if (name.tag != ATOM_NIL)
        return raw_atom(t, t->whole, name);
    history_show_txn(t->whole, whole, &t->b);
    return narrate_keep(t);
}

/* An operation of the whole; 'op' is the same in h, or ID_NONE where it does
 * not matter. */
static struct anomaly_op
op_shown(struct narration *t, op_id whole, op_id op)
{
    const struct history *h = t->whole;
    struct anomaly_op o = {.is_write = op_is_write(h, whole),
                           .matters = op != ID_NONE};
    history_show_key(h, op_key(h, whole), &t->b);
    o.key = narrate_keep(t);
    if (!o.is_write && op_is_of_list(h, whole)) {
        buf_printf(&t->b, "r(%s, ", o.key);
        narrate_list(t, whole, op);
        buf_char(&t->b, ')');
    } else {
        history_show_op(h, whole, &t->b);
    }
    o.text = narrate_keep(t);
    return o;
}

/* Add the n-th statement, where its line or its text is known. */
static void
add_statement(struct narration *t, txn_id whole, uint32_t n,
              struct anomaly_txn *out)
{
    struct anomaly_statement *s = &out->statements[out->n_statements];
    const uint64_t line = place_line(t->whole, whole, n);
    if (line)
        buf_printf(&t->b, "%s:%" PRIu64, out->place, line);
    s->place = narrate_keep(t);
    const bool has_text = place_statement(t->whole, whole, n, &t->b);
    s->text = narrate_keep(t);
    out->n_statements += line || has_text;
}

/* Fills 'statements', by the operations that matter, and 'lines'. */
static void
tell_statements(struct narration *t, txn_id whole, const u32_vec *ops,
                struct anomaly_txn *out)
{
    struct arena *arena = &t->a->arena;
    bool is_known = ops->n > 0;
    for (size_t i = 0; i < ops->n; i++)
        is_known = is_known && op_statement(t->whole, ops->at[i]);
    uint32_t n = 0; // of all statements
    if (!is_known)
        while (n < MOST_STATEMENTS &&
               (place_statement(t->whole, whole, n + 1, &t->b) ||
                place_line(t->whole, whole, n + 1)))
            n++;
    buf_clear(&t->b);
    out->statements =
        arena_alloc(arena, (ops->n + n + 1) * sizeof *out->statements);
    for (uint32_t i = 1; i <= n; i++)
        add_statement(t, whole, i, out);
    for (size_t i = 0; is_known && i < ops->n; i++) {
        const uint32_t statement = op_statement(t->whole, ops->at[i]);
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= op_statement(t->whole, ops->at[j]) == statement;
        if (!again)
            add_statement(t, whole, statement, out);
    }
    buf_text(&t->b, out->place);
    const size_t skip = strlen(out->place) + 1;
    for (size_t i = 0; i < out->n_statements; i++)
        if (*out->statements[i].place)
            buf_printf(&t->b, "%c%s", i ? ',' : ':',
                       out->statements[i].place + skip);
    out->lines = narrate_keep(t);
}

/* Everything about a transaction of the whole but its operations. */
static struct anomaly_txn
head_of(struct narration *t, txn_id whole)
{
    const struct history *h = t->whole;
    const session_id s = h->txn_session[whole];
    struct anomaly_txn out = {.id = id_of(t, whole),
                              .position = whole - h->session_first[s] + 1,
                              .status = (enum txn_status)h->txn_status[whole]};
    out.line = h->txn_line ? h->txn_line[whole] : 0;
    narrate_name(h, whole, &t->b);
    out.name = narrate_keep(t);
    history_show_session(h, s, &t->b);
    out.session = narrate_keep(t);
    place_of_txn(h, whole, &t->b);
    out.place = out.lines = narrate_keep(t);
    if (h->txn_began && h->txn_began[whole] != INT64_MIN &&
        h->txn_ended[whole] != INT64_MAX) {
        out.has_times = true;
        out.began = h->txn_began[whole];
        out.ended = h->txn_ended[whole];
    }
    if (h->txn_meta && h->txn_meta[whole] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[whole]);
        // As one JSON string and without its quotes it is harmless anywhere;
        // the quotes inside come back.
        struct buf safe = {0};
        buf_json(&safe, meta.text, meta.len);
        for (size_t i = 1; i + 1 < safe.n; i++) {
            if (safe.at[i] == '\\' &&
                (safe.at[i + 1] == '"' || safe.at[i + 1] == '\\'))
                i++;
            buf_char(&t->b, safe.at[i]);
        }
        buf_free(&safe);
        out.meta = narrate_keep(t);
    }
    return out;
}

/* Whether an operation of h appends the value of the whole to key k of h. */
static bool
is_appended(const struct narration *t, key_id k, value_id whole)
{
    for (op_id op = 0; op < t->h->n_ops; op++)
        if (op_is_write(t->h, op) && op_key(t->h, op) == k &&
            narrate_same_value(t, whole, t->h->op_value[op]))
            return true;
    return false;
}

/* How many elements of the list are the reader's own, at its end. */
static size_t
count_own(const struct history *h, txn_id t, op_id read)
{
    size_t own = 0;
    for (op_id op = h->txn_begin[t]; op < read; op++)
        own += op_is_write(h, op) && op_key(h, op) == op_key(h, read);
    return own;
}

/* Whether the list that txn read in h is that of the whole without the elements
 * of transactions that are not there.  The writer it was read from is. */
static bool
same_list(const struct narration *t, txn_id txn, op_id whole, op_id op)
{
    const struct list_seen a = history_list_seen(t->whole, whole);
    const struct list_seen b = history_list_seen(t->h, op);
    const size_t own = count_own(t->h, txn, op);
    size_t next = 0;
    if (a.n > own && b.n > own &&
        !narrate_same_value(t, a.at[a.n - 1 - own], b.at[b.n - 1 - own]))
        return false;
    for (size_t i = 0; i < a.n; i++) {
        if (next < b.n && narrate_same_value(t, a.at[i], b.at[next]))
            next++;
        else if (is_appended(t, op_key(t->h, op), a.at[i]))
            return false;
    }
    return next == b.n && (b.n > own) == (a.n > own);
}

/* Whether the operation of the whole is the same as that of h. */
static bool
same_op(const struct narration *t, txn_id txn, op_id whole, op_id op)
{
    const bool write = op_is_write(t->h, op);
    if (op_is_write(t->whole, whole) != write)
        return false;
    const key_id k = op_key(t->h, op);
    const bool list = t->h->key_is_list && t->h->key_is_list[k];
    struct buf a = {0}, b = {0};
    history_show_key(t->whole, op_key(t->whole, whole), &a);
    history_show_key(t->h, k, &b);
    if (write || !list) {
        row_text_value(t->whole, whole, &a);
        row_text_value(t->h, op, &b);
    }
    const bool same = strcmp(a.at, b.at) == 0 &&
                      (write || !list || same_list(t, txn, whole, op));
    buf_free(&a);
    buf_free(&b);
    return same;
}

/* The next recorded operation from op on, or the end. */
static op_id
skip_implied(const struct history *h, op_id op, op_id end)
{
    while (op < end && op_is_implied(h, op))
        op++;
    return op;
}

void
narrate_map(struct narration *t)
{
    const struct history *w = t->whole, *h = t->h;
    op_id *map = arena_alloc(&t->a->arena, (h->n_ops + 1u) * sizeof *map);
    memset(map, 0xff, (h->n_ops + 1u) * sizeof *map); // ID_NONE
    for (txn_id i = 0; i < h->n_txns; i++) {
        op_id next = skip_implied(h, h->txn_begin[i], h->txn_end[i]);
        for (op_id op = w->txn_begin[t->origin[i]];
             op < w->txn_end[t->origin[i]] && next < h->txn_end[i]; op++)
            if (!op_is_inserted(w, op) && same_op(t, i, op, next)) {
                map[next] = op;
                next = skip_implied(h, next + 1, h->txn_end[i]);
            }
    }
    t->whole_op = map;
}

void
narrate_map_ops(struct narration *t, const op_id *ops, size_t n)
{
    const struct history *w = t->whole, *h = t->h;
    op_id *map = arena_alloc(&t->a->arena, (h->n_ops + 1u) * sizeof *map);
    memset(map, 0xff, (h->n_ops + 1u) * sizeof *map); // ID_NONE
    for (txn_id i = 0; i < h->n_txns; i++) {
        op_id next = skip_implied(h, h->txn_begin[i], h->txn_end[i]);
        for (size_t j = 0; j < n && next < h->txn_end[i]; j++) {
            if (ops[j] < w->txn_begin[t->origin[i]] ||
                ops[j] >= w->txn_end[t->origin[i]] || op_is_implied(w, ops[j]))
                continue;
            map[next] = ops[j];
            next = skip_implied(h, next + 1, h->txn_end[i]);
        }
    }
    t->whole_op = map;
}

static void
tell_ops(struct narration *t, txn_id txn, struct anomaly_txn *out)
{
    const struct history *w = t->whole;
    const txn_id origin = t->origin[txn];
    const size_t all = history_txn_ops(w, origin);
    out->ops = arena_alloc(&t->a->arena, all * sizeof *out->ops);
    const op_id end = t->h->txn_end[txn];
    op_id next = skip_implied(t->h, t->h->txn_begin[txn], end);
    op_id shown = ID_NONE; // what op is in h, or what is implied by it
    u32_vec matter = {0};
    for (op_id op = w->txn_begin[origin]; op < w->txn_end[origin]; op++) {
        if (next < end && t->whole_op[next] == op) {
            shown = next;
            next = skip_implied(t->h, next + 1, end);
        }
        if (op_is_implied(w, op))
            continue;
        if (shown != ID_NONE) {
            out->ops[out->n_ops++] = op_shown(t, op, shown);
            vec_push(&matter, op);
            shown = ID_NONE;
        } else if (all <= FEW_OPS) {
            out->ops[out->n_ops++] = op_shown(t, op, ID_NONE);
        }
    }
    out->elided = all - out->n_ops;
    tell_statements(t, origin, &matter, out);
    vec_free(&matter);
}

/* --- times -----------------------------------------------------------------*/

/* When the recording began: at zero, unless the first times are far from it,
 * as those of a clock that shows the date are (history/timeline.h). */
static void
tell_clock(struct narration *t)
{
    const struct history *h = t->whole;
    int64_t first = INT64_MAX, last = 0;
    t->a->is_recording = h->is_recording && h->txn_began;
    for (txn_id i = 0; t->a->is_recording && i < h->n_txns; i++) {
        const int64_t began = h->txn_began[i];
        const int64_t ended =
            h->txn_ended[i] == INT64_MAX ? began : h->txn_ended[i];
        last = ended > last ? ended : last;
        if (began != INT64_MIN && began < first)
            first = began;
    }
    first = first > last ? last : first;
    t->a->zero =
        first >= 0 && (double)first <= (double)last - (double)first ? 0 : first;
}

/* --- places ----------------------------------------------------------------*/

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Append "book.sql and pay.sql", or "book.sql (twice)". */
static void
put_places(struct narration *t, bool with_numbers)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < t->a->txns.n; i++)
        if (*t->a->txns.at[i].place)
            vec_push(&names, t->a->txns.at[i].place);
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, compare_texts);
    for (size_t i = 0, n; i < names.n; i += n) {
        for (n = 1;
             i + n < names.n && strcmp(names.at[i], names.at[i + n]) == 0;)
            n++;
        buf_text(&t->b, !i ? "" : i + n < names.n ? ", " : " and ");
        buf_text(&t->b, names.at[i]);
        if (n > 1 && with_numbers)
            buf_printf(&t->b, n == 2 ? " (twice)" : " (%zu times)", n);
    }
    vec_free(&names);
}

static void
tell_places(struct narration *t)
{
    put_places(t, true);
    t->a->places = narrate_keep(t);
    put_places(t, false);
    t->a->place_names = narrate_keep(t);
}

uint32_t
narrate_place(const struct narration *t, txn_id txn, op_id op)
{
    if (op == ID_NONE || txn >= t->a->txns.n)
        return ANOMALY_NONE;
    const struct anomaly_txn *listed = &t->a->txns.at[txn];
    const op_id recorded = history_recorded(t->h, op);
    uint32_t wanted = 0; // recorded operations before it
    for (op_id i = t->h->txn_begin[txn]; i < recorded; i++)
        wanted += !op_is_implied(t->h, i);
    for (uint32_t i = 0; i < listed->n_ops; i++)
        if (listed->ops[i].matters && wanted-- == 0)
            return i;
    return ANOMALY_NONE;
}

/* --- neighbours
 * -------------------------------------------------------------*/

static bool
is_told(const struct narration *t, txn_id whole)
{
    for (txn_id i = 0; i < t->h->n_txns; i++)
        if (t->origin[i] == whole)
            return true;
    return false;
}

static void
tell_neighbour(struct narration *t, txn_id whole, u32_vec *seen)
{
    if (is_told(t, whole))
        return;
    for (size_t i = 0; i < seen->n; i++)
        if (seen->at[i] == whole)
            return;
    vec_push(seen, whole);
    const struct history *w = t->whole;
    struct anomaly_txn out = head_of(t, whole);
    out.is_context = true;
    const size_t all = history_txn_ops(w, whole);
    out.ops = arena_alloc(&t->a->arena, FEW_OPS * sizeof *out.ops);
    for (op_id op = w->txn_begin[whole];
         op < w->txn_end[whole] && out.n_ops < FEW_OPS; op++)
        if (!op_is_implied(w, op))
            out.ops[out.n_ops++] = op_shown(t, op, ID_NONE);
    out.elided = all - out.n_ops;
    tell_statements(t, whole, &(u32_vec){0}, &out);
    vec_push(&t->a->txns, out);
}

static void
tell_neighbours(struct narration *t, size_t most)
{
    u32_vec seen = {0};
    const struct history *w = t->whole;
    for (txn_id i = 0; i < t->h->n_txns && i < MOST_TXNS; i++) {
        const txn_id whole = t->origin[i];
        const session_id s = w->txn_session[whole];
        if (seen.n < most && whole > w->session_first[s])
            tell_neighbour(t, whole - 1, &seen);
        if (seen.n < most && whole + 1 < w->session_first[s + 1])
            tell_neighbour(t, whole + 1, &seen);
    }
    vec_free(&seen);
}

void
narrate_txns(struct narration *t, bool with_init, size_t context)
{
    for (txn_id i = 0; i < t->h->n_txns && i < MOST_TXNS; i++) {
        struct anomaly_txn out = head_of(t, t->origin[i]);
        tell_ops(t, i, &out);
        vec_push(&t->a->txns, out);
    }
    tell_places(t);
    tell_clock(t);
    t->a->involved = t->h->n_txns;
    if (with_init)
        vec_push(&t->a->txns, ((struct anomaly_txn){.id = "init",
                                                    .name = "init",
                                                    .session = "",
                                                    .place = "",
                                                    .lines = "",
                                                    .is_init = true,
                                                    .status = TXN_COMMITTED}));
    tell_neighbours(t, context);
}

void
narrate_few_txns(struct narration *t, const u32_vec *txns, size_t context)
{
    for (size_t i = 0; i < txns->n; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= txns->at[j] == txns->at[i];
        if (again)
            continue;
        struct anomaly_txn out = head_of(t, t->origin[txns->at[i]]);
        tell_ops(t, txns->at[i], &out);
        vec_push(&t->a->txns, out);
    }
    tell_places(t);
    tell_clock(t);
    t->a->involved = t->a->txns.n;
    tell_neighbours(t, context);
}
