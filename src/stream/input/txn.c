/* txn.c -- see txn.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/txn.h"

#include <stdlib.h>

enum { FEW = 48 }; // operations for which comparing all pairs is fastest

struct stream_txn *
stream_txn_new(const struct stream_op *ops, size_t n, const char *name,
               size_t name_n)
{
    struct stream_txn *t =
        mem_alloc(1, sizeof *t + n * sizeof *ops + (name ? name_n : 0));
    memset(t, 0, sizeof *t);
    t->n_ops = (uint32_t)n;
    if (n)
        memcpy(t->ops, ops, n * sizeof *ops);
    if (name) {
        t->name.tag = ATOM_STRING;
        t->name_n = (uint32_t)name_n;
        memcpy(t->ops + n, name, name_n);
    }
    return t;
}

struct stream_txn *
stream_txn_copy(const struct stream_txn *t)
{
    const size_t size =
        sizeof *t + t->n_ops * sizeof *t->ops + (size_t)t->name_n;
    struct stream_txn *copy = mem_alloc(1, size);
    memcpy(copy, t, size);
    return copy;
}

struct stream_txn *
stream_txn_without_reads(struct stream_txn *t)
{
    struct stream_txn *copy = stream_txn_copy(t);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_write)
            copy->ops[n++] = t->ops[i];
    copy->n_ops = n;
    copy->is_flawed = false;
    memcpy(copy->ops + n, stream_txn_name(t), t->name_n);
    mem_free(t);
    return copy;
}

/* The operation is read or written after 'own', the last own write of its key,
 * or is the first. */
static void
resolve_op(struct stream_txn *t, struct stream_op *op, struct stream_op *own)
{
    op->is_main = op->is_write || !own;
    if (!own)
        return;
    if (op->is_write)
        own->is_main = false;
    else
        t->is_flawed |= !atom_equal(stream_value(op), stream_value(own));
}

static void
resolve_few(struct stream_txn *t)
{
    for (uint32_t i = 0; i < t->n_ops; i++) {
        struct stream_op *own = NULL;
        for (uint32_t j = i; j-- > 0 && !own;)
            if (t->ops[j].key == t->ops[i].key && t->ops[j].is_write)
                own = &t->ops[j];
        resolve_op(t, &t->ops[i], own);
    }
}

static void
resolve_many(struct stream_txn *t)
{
    struct intmap slots = {0};
    u32_vec last = {0}; // by slot: the last own write + 1, or 0
    for (uint32_t i = 0; i < t->n_ops; i++) {
        bool added;
        const uint32_t s =
            intmap_add(&slots, t->ops[i].key, (uint32_t)last.n, &added);
        if (added)
            vec_push(&last, 0);
        resolve_op(t, &t->ops[i], last.at[s] ? &t->ops[last.at[s] - 1] : NULL);
        if (t->ops[i].is_write)
            last.at[s] = i + 1;
    }
    intmap_free(&slots);
    vec_free(&last);
}

void
stream_txn_resolve(struct stream_txn *t)
{
    t->is_flawed = false;
    if (t->n_ops <= FEW)
        resolve_few(t);
    else
        resolve_many(t);
}

bool
stream_txn_is_loading(const struct stream_txn *t, struct atom initial)
{
    if (t->status != TXN_COMMITTED || t->position != 1 || !t->n_ops)
        return false;
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (!t->ops[i].is_write ||
            !atom_equal(stream_value(&t->ops[i]), initial))
            return false;
    return true;
}

void
stream_txn_show(const struct stream_names *names, const struct stream_txn *t,
                struct buf *out)
{
    if (t->name.tag == ATOM_STRING) {
        struct strings pool = {0};
        const struct atom a = {
            strings_add(&pool, stream_txn_name(t), t->name_n), ATOM_STRING};
        atom_show(&pool, a, out);
        strings_free(&pool);
        return;
    }
    if (t->name.tag != ATOM_NIL) {
        atom_show(NULL, t->name, out);
        return;
    }
    const struct atom session = atoms_get(&names->sessions.all, t->session);
    if (!atom_is_text(session))
        buf_char(out, 's');
    atom_show(&names->texts, session, out);
    buf_char(out, '/');
    buf_u64(out, t->position);
}

void
stream_txn_keep_names(struct stream_txn *t, struct names_collection *c)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        t->ops[i].value = names_keep(c, t->ops[i].tag, t->ops[i].value);
}

/* Whether all numbers are those of names. */
static bool
is_named(const struct stream_txn *t, const struct stream_names *names)
{
    bool ok = t->session < names->sessions.all.tags.n;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        ok &= op->key < names->keys.all.tags.n && op->tag < ATOM_TAGS &&
              (op->tag < ATOM_STRING || op->value < names->values.all.n);
    }
    return ok;
}

void
stream_txn_archive(struct stream_txn **t, const struct stream_names *names,
                   struct archive *a)
{
    const size_t op = sizeof *(*t)->ops;
    size_t n = a->reads ? 0 : (*t)->n_ops;
    size_t name_n = a->reads ? 0 : (*t)->name_n;
    archive_count(a, &n, op);
    archive_count(a, &name_n, 1);
    if (a->reads)
        *t = mem_calloc(1, sizeof **t + n * op + name_n);
    archive_bytes(a, *t, sizeof **t + n * op + name_n);
    if (!a->reads)
        return;
    a->failed |= (*t)->n_ops != n || (*t)->name_n != name_n;
    if (!a->failed)
        a->failed = !is_named(*t, names);
    if (a->failed) {
        mem_free(*t);
        *t = NULL;
    }
}

void
stream_txns_archive(stream_txns *v, size_t from,
                    const struct stream_names *names, struct archive *a)
{
    size_t n = v->n - from;
    archive_count(a, &n, sizeof(struct stream_txn));
    for (size_t i = 0; i < n; i++) {
        struct stream_txn *t = a->reads ? NULL : v->at[from + i];
        stream_txn_archive(&t, names, a);
        if (a->reads && t)
            vec_push(v, t);
    }
}

void
stream_txns_free(stream_txns *v)
{
    for (size_t i = 0; i < v->n; i++)
        mem_free(v->at[i]);
    vec_free(v);
}

static int
compare_numbers(const void *a, const void *b)
{
    const struct stream_txn *x = *(struct stream_txn *const *)a;
    const struct stream_txn *y = *(struct stream_txn *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

void
stream_txns_sort(stream_txns *v)
{
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, compare_numbers);
}
