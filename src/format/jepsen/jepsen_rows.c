/* jepsen_rows.c -- operations of registers, mutexes and sets as reads and
 * writes of rows; jepsen_workload.h says which.
 *
 * An operation is a separate transaction.  What it read is known if it is
 * ok.  A compare-and-set that took effect has read what it compares with,
 * whether or not its client has learnt that.
 *
 * The row of a mutex has no value while it is free.  In a set, the row of an
 * element that is not in it has none; a read of the whole set has read all
 * rows.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/hash.h"
#include "format/jepsen/jepsen_ops.h"

/* An entry taken apart: indices of forms, 0 if there is none. */
struct parts {
    struct span f;
    uint32_t key, value;
};

static bool
is_read(struct span f)
{
    return span_is(f, "read") || span_is(f, "get");
}

bool
jepsen_rows_has_value(const struct jepsen_entry *e)
{
    const uint32_t v = e->known[KEY_VALUE];
    return is_read(jepsen_entry_f(e)) || (v && e->f->at[v].kind != FORM_NIL);
}

/* The value of the entry's key "key", which only stores have. */
static uint32_t
find_store_key(const struct jepsen_entry *e)
{
    for (size_t i = 0; i < e->n_extra; i++)
        if (span_is(e->f->at[e->extra[i]].text, "key"))
            return form_next(e->f, e->extra[i]);
    return 0;
}

static bool
take_apart(struct jepsen_ops *o, const struct jepsen_entry *e, struct parts *p)
{
    const struct forms *f = e->f;
    const uint32_t v = e->known[KEY_VALUE];
    *p = (struct parts){jepsen_entry_f(e), 0, v ? form_untagged(f, v) : 0};
    if (o->workload.kind == JEPSEN_MUTEX)
        return true;
    if (o->workload.kind == JEPSEN_STORE) {
        p->key = find_store_key(e);
        if (!p->key || f->at[p->key].kind == FORM_NIL)
            return scan_fail(o->s, e->at, ERR_SYNTAX,
                             "an operation without 'key'");
    }
    if (o->workload.is_keyed &&
        (!p->value || !jepsen_pair(f, p->value, &p->key, &p->value) ||
         f->at[p->key].kind == FORM_NIL))
        return p->value ? form_unexpected(o->s, f, p->value,
                                          "a key and a value, [key value]")
                        : scan_fail(o->s, e->at, ERR_SYNTAX,
                                    "an operation without 'value'");
    return p->value || is_read(p->f) ||
           scan_fail(o->s, e->at, ERR_SYNTAX, "an operation without 'value'");
}

static void
hash_form(struct jepsen_ops *o, const struct forms *f, uint32_t i,
          uint64_t *hash)
{
    buf_clear(&o->text);
    form_show_canonical(f, i, &o->text);
    *hash = hash_pair(*hash, hash_bytes(o->text.at, o->text.n));
}

bool
jepsen_rows_hash(struct jepsen_ops *o, const struct jepsen_entry *e,
                 uint64_t *hash)
{
    struct parts p;
    if (!take_apart(o, e, &p))
        return false;
    *hash = hash_bytes(p.f.at, p.f.n);
    if (p.key)
        hash_form(o, e->f, p.key, hash);
    if (p.value && !is_read(p.f) && o->workload.kind != JEPSEN_MUTEX)
        hash_form(o, e->f, p.value, hash);
    return true;
}

/* --- registers and mutexes ----------------------------------------------- */

/* Whether a register has this value before anything is written.  To
 * Porcupine's model of a store, a key without a value has the text "". */
static bool
is_initial(const struct jepsen_ops *o, const struct form *form)
{
    return form->kind == FORM_NIL ||
           (o->workload.kind == JEPSEN_STORE && form->kind == FORM_STRING &&
            !form->text.n);
}

/* A value of a register as an atom. */
static bool
find_value(struct jepsen_ops *o, const struct forms *f, uint32_t i,
           struct atom *out)
{
    const struct form *form = &f->at[i];
    if (form->kind == FORM_VECTOR || form->kind == FORM_SET ||
        form->kind == FORM_MAP)
        return form_unexpected(o->s, f, i, "a scalar");
    *out = is_initial(o, form) ? atom_nil() : form_atom(f, i, o->b);
    return true;
}

bool
jepsen_rows_resets(const struct jepsen_ops *o, const struct jepsen_entry *e)
{
    const struct span f = jepsen_entry_f(e);
    uint32_t key, v = e->known[KEY_VALUE];
    if (!v || !(span_is(f, "write") || span_is(f, "put")))
        return false;
    v = form_untagged(e->f, v);
    return (!o->workload.is_keyed || jepsen_pair(e->f, v, &key, &v)) &&
           is_initial(o, &e->f->at[v]);
}

static bool
add_cas(struct jepsen_ops *o, const struct forms *f, const struct parts *p,
        txn_id t, struct atom row)
{
    uint32_t old, new;
    struct atom before, after;
    if (!jepsen_pair(f, p->value, &old, &new))
        return form_unexpected(o->s, f, p->value, "[old new]");
    return find_value(o, f, old, &before) && find_value(o, f, new, &after) &&
           builder_read(o->b, t, row, before, o->s->err) &&
           builder_write(o->b, t, row, after, o->s->err);
}

static bool
add_register(struct jepsen_ops *o, const struct jepsen_entry *e,
             const struct parts *p, enum jepsen_entry_type type, txn_id t)
{
    static const char name[] = "register";
    struct atom value;
    const struct atom row =
        p->key ? form_atom(e->f, p->key, o->b)
               : builder_text(o->b, ATOM_STRING, name, sizeof name - 1);
    if (span_is(p->f, "cas"))
        return add_cas(o, e->f, p, t, row);
    if (is_read(p->f) && type != TYPE_OK)
        return true;
    if (!p->value)
        return scan_fail(o->s, e->at, ERR_SYNTAX,
                         "a read that is ok, without a value");
    if (!find_value(o, e->f, p->value, &value))
        return false;
    return is_read(p->f) ? builder_read(o->b, t, row, value, o->s->err)
                         : builder_write(o->b, t, row, value, o->s->err);
}

static bool
add_mutex(struct jepsen_ops *o, const struct parts *p, txn_id t)
{
    const struct atom row = builder_text(o->b, ATOM_STRING, "mutex", 5);
    const struct atom held = builder_text(o->b, ATOM_STRING, "held", 4);
    const bool acquires = span_is(p->f, "acquire");
    return builder_read(o->b, t, row, acquires ? atom_nil() : held,
                        o->s->err) &&
           builder_write(o->b, t, row, acquires ? held : atom_nil(), o->s->err);
}

/* --- sets ---------------------------------------------------------------- */

static struct atom
added(struct jepsen_ops *o)
{
    return builder_text(o->b, ATOM_KEYWORD, "added", 5);
}

/* The row of an element of a set. */
static struct atom
find_row(struct jepsen_ops *o, const struct forms *f, uint32_t key,
         uint32_t element)
{
    if (!key)
        return form_atom(f, element, o->b);
    buf_clear(&o->text);
    buf_char(&o->text, '[');
    form_show_canonical(f, key, &o->text);
    buf_char(&o->text, ' ');
    form_show_canonical(f, element, &o->text);
    buf_char(&o->text, ']');
    return builder_text(o->b, ATOM_OTHER, o->text.at, o->text.n);
}

/* Add a read of an element that a set has. */
static bool
add_element(struct jepsen_ops *o, const struct forms *f, uint32_t key,
            uint32_t element, txn_id t)
{
    struct jepsen_members *m = &o->workload.members;
    if (f->at[element].kind == FORM_NIL)
        return form_unexpected(o->s, f, element, "an element of a set");
    const struct atom row = find_row(o, f, key, element);
    const uint32_t i = intmap_find(&m->row_index[row.tag], row.bits);
    if (i != UINT32_MAX && m->all.at[i].seen == m->reads)
        return form_unexpected(o->s, f, element,
                               "each element once in a set that was read");
    if (i != UINT32_MAX)
        m->all.at[i].seen = m->reads;
    return builder_read(o->b, t, row, added(o), o->s->err);
}

static bool
add_set_read(struct jepsen_ops *o, const struct jepsen_entry *e,
             const struct parts *p, txn_id t)
{
    const struct forms *f = e->f;
    struct jepsen_members *m = &o->workload.members;
    if (!p->value || (f->at[p->value].kind != FORM_SET &&
                      f->at[p->value].kind != FORM_VECTOR))
        return p->value
                   ? form_unexpected(o->s, f, p->value, "the elements of a set")
                   : scan_fail(o->s, e->at, ERR_SYNTAX,
                               "a read that is ok, without a value");
    m->reads++;
    for (uint32_t i = form_first(p->value); i < form_end(f, p->value);
         i = form_next(f, i))
        if (!add_element(o, f, p->key, i, t))
            return false;
    const struct atom set = p->key ? form_atom(f, p->key, o->b) : atom_nil();
    const uint32_t group = intmap_find(&m->group_index[set.tag], set.bits);
    if (group == UINT32_MAX)
        return true; // nothing is ever added to it
    const u32_vec *rows = &m->groups.at[group];
    for (size_t i = 0; i < rows->n; i++) {
        const struct jepsen_member *member = &m->all.at[rows->at[i]];
        if (member->seen != m->reads &&
            !builder_read(o->b, t, member->row, atom_nil(), o->s->err))
            return false;
    }
    return true;
}

static bool
add_set(struct jepsen_ops *o, const struct jepsen_entry *e,
        const struct parts *p, enum jepsen_entry_type type, txn_id t)
{
    if (is_read(p->f))
        return type != TYPE_OK || add_set_read(o, e, p, t);
    const struct atom row = find_row(o, e->f, p->key, p->value);
    return builder_write(o->b, t, row, added(o), o->s->err);
}

bool
jepsen_rows_add(struct jepsen_ops *o, const struct jepsen_entry *e,
                enum jepsen_entry_type type, txn_id t)
{
    struct parts p;
    if (!take_apart(o, e, &p))
        return false;
    assert(o->workload.kind > JEPSEN_TXN);
    const bool ok = o->workload.kind == JEPSEN_MUTEX ? add_mutex(o, &p, t)
                    : o->workload.kind == JEPSEN_SET
                        ? add_set(o, e, &p, type, t)
                        : add_register(o, e, &p, type, t);
    return ok || scan_locate(o->s, e->at);
}
