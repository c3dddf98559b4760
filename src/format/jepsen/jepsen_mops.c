/* jepsen_mops.c -- the micro-operations of a transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen_ops.h"
#include "format/jepsen/jepsen_plain.h"

static bool
add_read(struct jepsen_ops *o, const struct forms *f, const struct mop *mop,
         txn_id t, struct atom key)
{
    const uint32_t v = mop->value;
    if (f->at[v].kind != FORM_VECTOR)
        return builder_read(o->b, t, key, form_atom(f, v, o->b), o->s->err);
    vec_clear(&o->elements);
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i))
        vec_push(&o->elements, form_atom(f, i, o->b));
    return builder_read_list(o->b, t, key, o->elements.at, o->elements.n,
                             o->s->err);
}

static bool
add_mop(struct jepsen_ops *o, const struct forms *f, uint32_t i,
        enum jepsen_entry_type type, txn_id t)
{
    struct mop mop = {0};
    if (!jepsen_mop_read(&mop, o->s, f, i))
        return false;
    struct err *err = o->s->err;
    const enum form_kind value = mop.value ? f->at[mop.value].kind : FORM_NIL;
    if (mop.kind == MOP_READ && value == FORM_NIL && type != TYPE_OK)
        return true; // it is not known what it saw
    if (!mop.value)
        return scan_fail(o->s, f->at[i].at, ERR_SYNTAX,
                         "a read of an ok operation without a value");
    if (mop.kind == MOP_WRITE && value == FORM_VECTOR)
        return form_unexpected(o->s, f, mop.value,
                               "a scalar: reads of vectors are reads of lists");
    const struct atom key = form_atom(f, mop.key, o->b);
    bool ok;
    if (mop.kind == MOP_READ)
        ok = add_read(o, f, &mop, t, key);
    else if (mop.kind == MOP_WRITE)
        ok = builder_write(o->b, t, key, form_atom(f, mop.value, o->b), err);
    else
        ok = builder_append(o->b, t, key, form_atom(f, mop.value, o->b), err);
    return ok || scan_locate(o->s, f->at[i].at);
}

/* What the hash of writes takes from a form. */
static uint64_t
hashed_bits(const struct form *form)
{
    const bool is_text = form->kind == FORM_STRING ||
                         form->kind == FORM_KEYWORD ||
                         form->kind == FORM_SYMBOL;
    return form->kind == FORM_INTEGER ? form->atom.bits
           : is_text                  ? hash_bytes(form->text.at, form->text.n)
                                      : 0;
}

/* A hash of the keys and values that an entry writes, in order. */
bool
jepsen_mops_hash(struct jepsen_ops *o, const struct jepsen_entry *e,
                 uint64_t *hash)
{
    const struct forms *f = e->f;
    const uint32_t v = e->known[KEY_VALUE];
    *hash = 0;
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i)) {
        struct mop mop = {0};
        if (!jepsen_mop_read(&mop, o->s, f, i))
            return false;
        if (mop.kind == MOP_READ)
            continue;
        const struct form *key = &f->at[mop.key], *value = &f->at[mop.value];
        *hash = jepsen_hash_write(*hash, mop.kind, key->kind, hashed_bits(key),
                                  value->kind, hashed_bits(value));
    }
    return true;
}

/* Pass the micro-operations to the builder. */
bool
jepsen_mops_add(struct jepsen_ops *o, const struct jepsen_entry *e,
                enum jepsen_entry_type type, txn_id t)
{
    const struct forms *f = e->f;
    const uint32_t v = e->known[KEY_VALUE];
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i))
        if (!add_mop(o, f, i, type, t))
            return false;
    return true;
}
