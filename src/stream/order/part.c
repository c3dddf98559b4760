/* part.c -- see part.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/part.h"

#include "base/container/hash.h"
#include "history/builder/builder.h"

/* --- pairs -----------------------------------------------------------------*/

static size_t
find_slot(const struct pair_set *s, const struct key_value *p)
{
    const struct atom value = {p->value, (enum atom_tag)p->tag};
    size_t i = names_hash(s->names, p->key, value) & (s->slots_n - 1);
    for (; s->slots[i]; i = (i + 1) & (s->slots_n - 1)) {
        const struct key_value *q = &s->all.at[s->slots[i] - 1];
        if (q->key == p->key && q->tag == p->tag && q->value == p->value)
            break;
    }
    return i;
}

static void
grow_slots(struct pair_set *s)
{
    mem_free(s->slots);
    s->slots_n = s->slots_n ? 2 * s->slots_n : 64;
    s->slots = mem_calloc(s->slots_n, sizeof *s->slots);
    for (size_t i = 0; i < s->all.n; i++)
        s->slots[find_slot(s, &s->all.at[i])] = (uint32_t)i + 1;
}

void
pair_set_add(struct pair_set *s, const struct stream_op *op)
{
    const struct key_value p = {op->key, op->tag, op->value};
    if (2 * (s->all.n + 1) > s->slots_n)
        grow_slots(s);
    const size_t slot = find_slot(s, &p);
    if (s->slots[slot])
        return;
    vec_push(&s->all, p);
    s->slots[slot] = (uint32_t)s->all.n;
}

bool
pair_set_has(const struct pair_set *s, const struct stream_op *op)
{
    const struct key_value p = {op->key, op->tag, op->value};
    return s->slots_n && s->slots[find_slot(s, &p)];
}

void
pair_set_free(struct pair_set *s)
{
    vec_free(&s->all);
    mem_free(s->slots);
    *s = (struct pair_set){0};
}

/* --- building --------------------------------------------------------------*/

struct part_build {
    struct builder *b;
    struct stream_names *names;
    const struct running_order *state; // NULL: as they are
    const struct pair_set *written;    // NULL: all reads are kept
    struct intmap sessions;            // to those of the builder
    size_t n_sessions;
    struct err err;
};

/* The same text or integer, for the builder. */
static struct atom
translate(const struct part_build *p, const struct strings *pool, struct atom a)
{
    if (!atom_is_text(a))
        return a;
    const struct string s = strings_get(pool, (uint32_t)a.bits);
    return builder_text(p->b, a.tag, s.text, s.len);
}

static struct atom
name_of_session(const struct part_build *p, uint32_t session)
{
    return translate(p, &p->names->texts,
                     atoms_get(&p->names->sessions.all, session));
}

/* Two sessions may have one name, where a transaction of unknown outcome has
 * left its session; they stay two. */
static session_id
session_for(struct part_build *p, uint32_t session)
{
    const uint32_t known = intmap_find(&p->sessions, session);
    if (known != UINT32_MAX)
        return known;
    bool added;
    session_id id = builder_session(p->b, name_of_session(p, session));
    for (unsigned again = 2; id < p->n_sessions; again++) {
        struct buf text = {0};
        atom_show(&p->names->texts, atoms_get(&p->names->sessions.all, session),
                  &text);
        buf_printf(&text, " (%u)", again);
        id = builder_session(p->b,
                             builder_text(p->b, ATOM_STRING, text.at, text.n));
        buf_free(&text);
    }
    p->n_sessions++;
    intmap_add(&p->sessions, session, id, &added);
    return id;
}

/* A value as the part has it.  From a state, what the key holds now is the
 * initial value, and the history's own initial value is another one. */
static struct atom
value_for(const struct part_build *p, const struct stream_op *op)
{
    const struct atom value = stream_value(op);
    if (!p->state)
        return translate(p, &p->names->values, value);
    if (atom_equal(value, running_order_value(p->state, op->key)))
        return atom_nil();
    if (value.tag == ATOM_NIL)
        return builder_text(p->b, ATOM_KEYWORD, "nil", 3);
    return translate(p, &p->names->values, value);
}

static bool
is_left_out(const struct part_build *p, const struct stream_txn *t,
            const struct stream_op *op)
{
    if (op->is_write || !op->is_main)
        return false;
    return t->reads_dropped ||
           (p->written && !atom_equal(stream_value(op), p->names->initial) &&
            !pair_set_has(p->written, op));
}

static void
add_name(struct part_build *p, txn_id id, const struct stream_txn *t)
{
    if (t->name.tag == ATOM_STRING) {
        builder_name(
            p->b, id,
            builder_text(p->b, ATOM_STRING, stream_txn_name(t), t->name_n));
    } else if (t->name.tag != ATOM_NIL) {
        builder_name(p->b, id, t->name);
    } else {
        // Its position in the part is another one than in the stream.
        struct buf text = {0};
        stream_txn_show(p->names, t, &text);
        builder_name(p->b, id,
                     builder_text(p->b, ATOM_STRING, text.at, text.n));
        buf_free(&text);
    }
}

static bool
add_txn(struct part_build *p, const struct stream_txn *t, bool times)
{
    txn_id id;
    if (!builder_txn(p->b, session_for(p, t->session), &id, &p->err))
        return false;
    builder_status(p->b, id, (enum txn_status)t->status);
    if (times)
        builder_times(p->b, id, t->began,
                      t->status == TXN_INDETERMINATE ? INT64_MAX : t->ended);
    if (!p->state)
        add_name(p, id, t);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (is_left_out(p, t, op))
            continue;
        const struct atom key = translate(
            p, &p->names->texts, atoms_get(&p->names->keys.all, op->key));
        const struct atom value = value_for(p, op);
        if (!(op->is_write ? builder_write(p->b, id, key, value, &p->err)
                           : builder_read(p->b, id, key, value, &p->err)))
            return false;
    }
    return true;
}

/* Add all transactions.  The window is far below the capacity of a history, and
 * no key is a list, so nothing can fail. */
static void
build(struct part_build *p, struct stream_txn *const *txns, size_t n,
      bool times, struct history *h)
{
    bool ok = true;
    builder_keep_loading(p->b);
    for (size_t i = 0; ok && i < n; i++)
        ok = add_txn(p, txns[i], times);
    intmap_free(&p->sessions);
    ok = ok && builder_finish(p->b, h, &p->err);
    assert(ok);
    (void)ok;
}

void
part_from_state(const struct running_order *o, struct stream_txn *const *txns,
                size_t n, bool times, struct history *h)
{
    struct part_build p = {
        .b = builder_new(atom_nil()), .names = o->names, .state = o};
    build(&p, txns, n, times, h);
}

void
part_as_it_is(struct stream_names *names, struct stream_txn *const *txns,
              size_t n, const struct part_options *options, struct history *h)
{
    struct pair_set written = {.names = names};
    struct part_build p = {.b = builder_new(names->initial),
                           .names = names,
                           .written = options->closed ? &written : NULL};
    for (size_t i = 0; options->closed && i < n; i++)
        for (uint32_t j = 0; j < txns[i]->n_ops; j++)
            if (txns[i]->ops[j].is_write)
                pair_set_add(&written, &txns[i]->ops[j]);
    if (options->is_cut)
        builder_cut(p.b);
    build(&p, txns, n, options->times, h);
    pair_set_free(&written);
}
