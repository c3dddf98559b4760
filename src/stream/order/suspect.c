/* suspect.c -- see suspect.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/suspect.h"

#include <stdlib.h>

static int
compare_numbers(const void *a, const void *b)
{
    const struct stream_txn *x = *(struct stream_txn *const *)a;
    const struct stream_txn *y = *(struct stream_txn *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

void
suspect_begin(struct suspect *s, struct stream_names *names)
{
    s->read = (struct pair_set){.names = names};
    if (s->txns.n)
        stream_txns_sort(&s->txns);
    for (size_t i = 0; i < s->txns.n; i++) {
        const struct stream_txn *t = s->txns.at[i];
        for (uint32_t j = 0; j < t->n_ops; j++)
            if (!t->ops[j].is_write && t->ops[j].is_main)
                pair_set_add(&s->read, &t->ops[j]);
    }
}

static bool
is_member(const struct suspect *s, const struct stream_txn *t)
{
    return s->txns.n && bsearch(&t, s->txns.at, s->txns.n, sizeof *s->txns.at,
                                compare_numbers);
}

void
suspect_note(struct suspect *s, const struct stream_txn *t, size_t most)
{
    bool writes = false;
    if (t->status == TXN_LOADING || s->is_too_large)
        return;
    for (uint32_t i = 0; i < t->n_ops && !writes; i++)
        writes = t->ops[i].is_write && pair_set_has(&s->read, &t->ops[i]);
    if (!writes || is_member(s, t))
        return;
    s->is_too_large = s->added.n >= most;
    if (s->is_too_large)
        return;
    struct stream_txn *copy = stream_txn_copy(t);
    copy->reads_dropped = true;
    vec_push(&s->added, copy);
}

void
suspect_history(struct suspect *s, struct stream_names *names, bool times,
                bool is_cut, struct history *h)
{
    stream_txns all = {0};
    vec_reserve(&all, s->txns.n + s->added.n);
    for (size_t i = 0; i < s->txns.n; i++)
        vec_push(&all, s->txns.at[i]);
    for (size_t i = 0; i < s->added.n; i++)
        vec_push(&all, s->added.at[i]);
    stream_txns_sort(&all);
    const struct part_options o = {.times = times, .is_cut = is_cut};
    part_as_it_is(names, all.at, all.n, &o, h);
    vec_free(&all);
}

void
suspect_keep_names(struct suspect *s, struct names_collection *c)
{
    for (size_t i = 0; i < s->txns.n; i++)
        stream_txn_keep_names(s->txns.at[i], c);
    for (size_t i = 0; i < s->added.n; i++)
        stream_txn_keep_names(s->added.at[i], c);
    for (size_t i = 0; i < s->read.all.n; i++) {
        struct key_value *p = &s->read.all.at[i];
        p->value = names_keep(c, p->tag, p->value);
    }
}

void
suspect_free(struct suspect *s)
{
    stream_txns_free(&s->txns);
    stream_txns_free(&s->added);
    pair_set_free(&s->read);
}
