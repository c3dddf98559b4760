/* jepsen_mops.c -- the micro-operations of a transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen_ops.h"
#include "format/jepsen/jepsen_plain.h"
#include "format/row/row_forms.h"

/* --- registers and lists --------------------------------------------------*/

static void
take_elements(struct jepsen_ops *o, const struct forms *f, uint32_t v)
{
    vec_clear(&o->elements);
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i))
        vec_push(&o->elements, form_atom(f, i, o->b));
}

/* Note an operation that follows operations on rows. */
static void
add_waiting(struct jepsen_ops *o, const struct forms *f, const struct mop *mop,
            txn_id t, struct atom key, const char *at)
{
    const bool is_list = f->at[mop->value].kind == FORM_VECTOR;
    struct row_other op = {.is_write = mop->kind != MOP_READ,
                           .is_list = is_list || mop->kind == MOP_APPEND,
                           .key = key};
    vec_clear(&o->elements);
    if (is_list && !op.is_write)
        take_elements(o, f, mop->value);
    else
        op.value = form_atom(f, mop->value, o->b);
    row_reader_note(&o->rows, t, op, o->elements.at, o->elements.n, at);
}

static bool
add_read(struct jepsen_ops *o, const struct forms *f, const struct mop *mop,
         txn_id t, struct atom key)
{
    const uint32_t v = mop->value;
    if (f->at[v].kind != FORM_VECTOR)
        return builder_read(o->b, t, key, form_atom(f, v, o->b), o->s->err);
    take_elements(o, f, v);
    return builder_read_list(o->b, t, key, o->elements.at, o->elements.n,
                             o->s->err);
}

static bool
add_item(struct jepsen_ops *o, const struct forms *f, const struct mop *mop,
         txn_id t, const char *at)
{
    struct err *err = o->s->err;
    const struct atom key = form_atom(f, mop->key, o->b);
    if (f->at[mop->key].kind == FORM_SYMBOL && !o->symbol)
        o->symbol = f->at[mop->key].at;
    if (row_reader_waits(&o->rows, t)) {
        add_waiting(o, f, mop, t, key, at);
        return true;
    }
    if (mop->kind == MOP_READ)
        return add_read(o, f, mop, t, key);
    const struct atom value = form_atom(f, mop->value, o->b);
    return mop->kind == MOP_WRITE ? builder_write(o->b, t, key, value, err)
                                  : builder_append(o->b, t, key, value, err);
}

/* --- rows -----------------------------------------------------------------*/

static bool
is_absent(const struct forms *f, uint32_t value)
{
    return f->at[value].kind == FORM_NIL ||
           (jepsen_entry_is_word(&f->at[value]) &&
            span_is(f->at[value].text, "absent"));
}

static bool
add_row_op(struct jepsen_ops *o, const struct forms *f, uint32_t i,
           const struct mop *mop, txn_id t)
{
    static const enum row_form_kind kinds[] = {
        [MOP_INSERT] = ROW_FORM_INSERT, [MOP_UPDATE] = ROW_FORM_UPDATE,
        [MOP_DELETE] = ROW_FORM_DELETE, [MOP_GET] = ROW_FORM_READ,
        [MOP_QUERY] = ROW_FORM_QUERY,
    };
    if (mop->kind == MOP_GET && is_absent(f, mop->value))
        return row_forms_absent(&o->rows, f, i, t);
    return row_forms_op(&o->rows, f, i, kinds[mop->kind], t);
}

bool
jepsen_mops_initial(struct jepsen_ops *o, const struct jepsen_entry *e)
{
    const uint32_t v = e->known[KEY_VALUE];
    if (!v)
        return scan_fail(o->s, e->at, ERR_SYNTAX,
                         "the rows of the beginning without 'value'");
    if (o->rows.log)
        return scan_fail(o->s, e->at, ERR_SYNTAX,
                         "the rows of the beginning once more");
    row_reader_log(&o->rows);
    return row_forms_initial(&o->rows, e->f, v);
}

bool
jepsen_mops_end(struct jepsen_ops *o)
{
    // A row t/7 has the same name in the history as the symbol.
    if (o->rows.log && o->symbol)
        return scan_unexpected(o->s, o->symbol,
                               "a key that is no symbol, in a log with rows");
    return row_reader_end(&o->rows);
}

/* --- both -----------------------------------------------------------------*/

static bool
add_mop(struct jepsen_ops *o, const struct forms *f, uint32_t i,
        enum jepsen_entry_type type, txn_id t)
{
    struct mop mop = {0};
    if (!jepsen_mop_read(&mop, o->s, f, i))
        return false;
    const enum form_kind value = mop.value ? f->at[mop.value].kind : FORM_NIL;
    if (mop_is_read(mop.kind) && value == FORM_NIL && type != TYPE_OK)
        return true; // it is not known what it saw
    if (!mop.value && mop.kind != MOP_DELETE)
        return scan_fail(o->s, f->at[i].at, ERR_SYNTAX,
                         "a read of an ok operation without a value");
    if (mop.kind == MOP_WRITE && value == FORM_VECTOR)
        return form_unexpected(o->s, f, mop.value,
                               "a scalar: reads of vectors are reads of lists");
    const uint32_t twin = mop_is_of_row(mop.kind) ? 0 : form_find_twin(f, i);
    if (twin)
        return form_unexpected(o->s, f, twin,
                               "each key once in a map, and each element once "
                               "in a set");
    return mop_is_of_row(mop.kind) ? add_row_op(o, f, i, &mop, t)
                                   : add_item(o, f, &mop, t, f->at[i].at) ||
                                         scan_locate(o->s, f->at[i].at);
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

/* Add the write of a row to the hash: the row and its values, but not what is
 * known only afterwards, such as names of versions. */
static void
hash_row(struct jepsen_ops *o, const struct forms *f, const struct mop *mop,
         uint64_t *hash)
{
    buf_clear(&o->text);
    form_show_canonical(f, mop->key, &o->text);
    if (mop->kind != MOP_DELETE)
        form_show_canonical(f, mop->value, &o->text);
    *hash = hash_pair(*hash ^ mop->kind, hash_bytes(o->text.at, o->text.n));
}

/* A hash of the keys and values that the first n micro-operations of an entry
 * write, in order. */
bool
jepsen_mops_hash_first(struct jepsen_ops *o, const struct jepsen_entry *e,
                       uint32_t n, uint64_t *hash)
{
    const struct forms *f = e->f;
    const uint32_t v = e->known[KEY_VALUE];
    *hash = 0;
    for (uint32_t i = form_first(v); n-- && i < form_end(f, v);
         i = form_next(f, i)) {
        struct mop mop = {0};
        if (!jepsen_mop_read(&mop, o->s, f, i))
            return false;
        if (mop_is_read(mop.kind))
            continue;
        if (mop_is_of_row(mop.kind)) {
            hash_row(o, f, &mop, hash);
            continue;
        }
        const struct form *key = &f->at[mop.key], *value = &f->at[mop.value];
        *hash = jepsen_hash_write(*hash, mop.kind, key->kind, hashed_bits(key),
                                  value->kind, hashed_bits(value));
    }
    return true;
}

bool
jepsen_mops_hash(struct jepsen_ops *o, const struct jepsen_entry *e,
                 uint64_t *hash)
{
    return jepsen_mops_hash_first(o, e, UINT32_MAX, hash);
}

uint32_t
jepsen_mops_count(const struct jepsen_entry *e)
{
    const uint32_t v = e->known[KEY_VALUE];
    uint32_t n = 0;
    for (uint32_t i = form_first(v); i < form_end(e->f, v);
         i = form_next(e->f, i))
        n++;
    return n;
}

/* Pass the micro-operations from the n-th on to the builder. */
bool
jepsen_mops_add_from(struct jepsen_ops *o, const struct jepsen_entry *e,
                     uint32_t n, enum jepsen_entry_type type, txn_id t)
{
    const struct forms *f = e->f;
    const uint32_t v = e->known[KEY_VALUE];
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i)) {
        if (n) {
            n--;
            continue;
        }
        if (!add_mop(o, f, i, type, t))
            return false;
    }
    return true;
}

bool
jepsen_mops_add(struct jepsen_ops *o, const struct jepsen_entry *e,
                enum jepsen_entry_type type, txn_id t)
{
    return jepsen_mops_add_from(o, e, 0, type, t);
}
