/* tell.c -- see tell.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/execution/tell.h"

#include "history/builder/builder.h"

struct teller {
    const struct execution *x;
    const struct history *h; // as observed
    struct builder *b;
    bool with_writers; // values get the names of their writers
    struct err *err;
};

/* --- values --------------------------------------------------------------- */

/* The same atom in the builder's pool. */
static struct atom
carry(struct builder *b, const struct history *h, struct atom a)
{
    if (!atom_is_text(a))
        return a;
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    return builder_text(b, a.tag, s.text, s.len);
}

/* The value that transaction t (of h) wrote as v. */
static struct atom
value_atom(const struct teller *s, txn_id t, value_id v)
{
    const struct atom a = history_value_atom(s->h, v);
    if (!s->with_writers)
        return carry(s->b, s->h, a);
    struct buf text = {0};
    atom_show(&s->h->strings, a, &text);
    buf_text(&text, " of ");
    history_show_txn(s->h, t, &text);
    const struct atom named = builder_text(s->b, ATOM_STRING, text.at, text.n);
    buf_free(&text);
    return named;
}

/* What a read of k from w, a transaction of the observed execution, returns. */
static struct atom
read_atom(const struct teller *s, uint32_t w, key_id k)
{
    if (w == OBS_INIT)
        return carry(s->b, s->h, s->h->initial);
    const struct observed *o = s->x->o;
    const op_id op = o->writes.at[observed_write(o, w, k)].op;
    return value_atom(s, o->id[w], s->h->op_value[op]);
}

/* --- operations ----------------------------------------------------------- */

static bool
tell_write(const struct teller *s, txn_id id, op_id op, txn_id to)
{
    const struct atom key =
        carry(s->b, s->h, history_key_atom(s->h, op_key(s->h, op)));
    return builder_write(s->b, to, key, value_atom(s, id, s->h->op_value[op]),
                         s->err);
}

/* A read of what its own transaction wrote. */
static bool
tell_internal(const struct teller *s, txn_id id, op_id op, txn_id to)
{
    const struct atom key =
        carry(s->b, s->h, history_key_atom(s->h, op_key(s->h, op)));
    return builder_read(s->b, to, key, value_atom(s, id, s->h->op_value[op]),
                        s->err);
}

static bool
tell_read(const struct teller *s, uint32_t r, txn_id to)
{
    const struct obs_read *read = &s->x->o->reads.at[r];
    const struct atom key =
        carry(s->b, s->h, history_key_atom(s->h, read->key));
    return builder_read(s->b, to, key, read_atom(s, s->x->writer[r], read->key),
                        s->err);
}

/* The operations of t, as far as they take place. */
static bool
tell_ops(const struct teller *s, uint32_t t, txn_id to)
{
    const struct observed *o = s->x->o;
    const txn_id id = o->id[t];
    for (op_id op = s->h->txn_begin[id]; op < s->h->txn_end[id]; op++)
        if (!builder_copy_row(s->b, s->h, op_key(s->h, op), s->err))
            return false;
    const bool is_cut = s->x->is_strict && s->x->role[t] == ROLE_BOUNDARY;
    uint32_t r = o->read_first[t], w = o->write_first[t];
    for (op_id op = s->h->txn_begin[id]; op < s->h->txn_end[id]; op++) {
        bool ok = true;
        if (r < o->read_first[t + 1] && o->reads.at[r].op == op) {
            ok = !execution_has_read(s->x, r) || tell_read(s, r, to);
            r++;
        } else if (w < o->write_first[t + 1] && o->writes.at[w].op == op) {
            ok = !execution_has_write(s->x, w) || tell_write(s, id, op, to);
            w++;
        } else if (!is_cut) {
            ok = (op_is_write(s->h, op) ? tell_write : tell_internal)(s, id, op,
                                                                      to);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* --- transactions --------------------------------------------------------- */

static void
tell_name(const struct teller *s, txn_id id, txn_id to)
{
    const struct atom name = history_txn_atom(s->h, id);
    if (name.tag != ATOM_NIL) {
        builder_name(s->b, to, carry(s->b, s->h, name));
        return;
    }
    struct buf text = {0};
    history_show_txn(s->h, id, &text);
    builder_name(s->b, to, builder_text(s->b, ATOM_STRING, text.at, text.n));
    buf_free(&text);
}

static bool
tell_txn(const struct teller *s, uint32_t t)
{
    const txn_id id = s->x->o->id[t];
    const session_id session = builder_session(
        s->b, carry(s->b, s->h, s->h->session_name[s->h->txn_session[id]]));
    txn_id to;
    if (!builder_txn(s->b, session, &to, s->err))
        return false;
    tell_name(s, id, to);
    if (s->h->txn_meta && s->h->txn_meta[id] != ID_NONE) {
        const struct string meta =
            strings_get(&s->h->strings, s->h->txn_meta[id]);
        builder_meta(s->b, to, meta.text, meta.len);
    }
    return tell_ops(s, t, to);
}

static bool
tell_with(const struct execution *x, bool with_writers, struct history *out,
          struct err *err)
{
    struct builder *b = builder_new(x->o->h->initial);
    const struct teller s = {x, x->o->h, b, with_writers, err};
    // In the observed order, which is the order in which files list them.
    for (uint32_t i = 0; i < x->o->n; i++)
        if (x->role[x->o->order[i]] != ROLE_OUT &&
            !tell_txn(&s, x->o->order[i])) {
            builder_free(b);
            return false;
        }
    return builder_finish(b, out, err);
}

/* Whether every read of h has one writer for certain. */
static bool
is_certain(const struct history *h)
{
    for (op_id op = 0; op < h->n_ops; op++)
        if (!op_is_write(h, op) && ((h->op_key[op] & OP_REJECTED) ||
                                    (op_is_external_read(h, op) &&
                                     history_has_several(h, h->op_value[op]))))
            return false;
    return true;
}

bool
tell_execution(const struct execution *x, struct history *out, struct err *err)
{
    if (!tell_with(x, false, out, err))
        return false;
    if (is_certain(out))
        return true;
    history_free(out);
    return tell_with(x, true, out, err);
}

/* --- equal values --------------------------------------------------------- */

/* The length of a value's text without a writer's number behind '#'. */
static size_t
plain_length(struct string s)
{
    size_t n = s.len;
    while (n && s.text[n - 1] >= '0' && s.text[n - 1] <= '9')
        n--;
    return n && n < s.len && s.text[n - 1] == '#' ? n - 1 : s.len;
}

static struct atom
value_read(const struct observed *o, uint32_t w, key_id k)
{
    if (w == OBS_INIT)
        return o->h->initial;
    const op_id op = o->writes.at[observed_write(o, w, k)].op;
    return history_value_atom(o->h, o->h->op_value[op]);
}

bool
tell_is_same_value(const struct execution *x, uint32_t r)
{
    const struct observed *o = x->o;
    const struct obs_read *read = &o->reads.at[r];
    const struct atom a = value_read(o, x->writer[r], read->key);
    const struct atom b = value_read(o, read->writer, read->key);
    if (atom_equal(a, b))
        return true;
    if (a.tag != ATOM_STRING || b.tag != ATOM_STRING)
        return false;
    const struct string s = strings_get(&o->h->strings, (uint32_t)a.bits);
    const struct string t = strings_get(&o->h->strings, (uint32_t)b.bits);
    const size_t n = plain_length(s);
    return n < s.len && plain_length(t) == n && n < t.len &&
           memcmp(s.text, t.text, n) == 0;
}
