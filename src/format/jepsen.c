/* jepsen.c -- from a log of invocations and completions to transactions.
 *
 * A process is a session.  It invokes a transaction and then completes it:
 * 'ok' is committed, 'fail' aborted, 'info' indeterminate, and so is what never
 * completes.  What a transaction did stands in its completion, because only
 * that tells what the reads saw; an indeterminate or aborted one may lack it,
 * and then the invocation is read again for the writes it wanted.  So the only
 * thing to keep between the two is where the invocation stands in the input.
 *
 * Real time is the order of the log: a transaction begins and ends at the
 * number of its entries, and an indeterminate one ends never.
 *
 * Two kinds of logs say less.  One that has no invocation at all is taken as
 * a list of outcomes without times.  In one that names no process, as in
 * hand-written examples, every invocation and the completion behind it are a
 * session of their own.  Mixtures are mistakes.
 *
 *   (1) processes[i].invoked is not NULL exactly while a transaction of that
 *       process is open, and it is the process's latest;
 *   (2) the builder gets a process's transactions in the order of the log,
 *       since one must end (1) before the next begins;
 *   (3) of has_invocation and 'orphan' at most one is set.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen.h"

#include "base/intmap.h"

#include <inttypes.h>

enum { EXTRAS = 64 }; // entries of an operation that we do not know, at most

enum op_type { TYPE_INVOKE, TYPE_OK, TYPE_FAIL, TYPE_INFO };

enum op_key {
    KEY_TYPE,
    KEY_PROCESS,
    KEY_F,
    KEY_VALUE,
    KEY_INDEX,
    KEY_TXN_ID,
    KEY_SESSION,
    N_OP_KEYS
};

static const char *const op_keys[N_OP_KEYS] = {
    "type", "process", "f", "value", "index", JEPSEN_TXN_ID, JEPSEN_SESSION,
};

/* The entries of an operation, as indices of forms; 0 is the operation itself
 * and means that there is none. */
struct op {
    const struct forms *f;
    const char *at; // in the input
    uint32_t known[N_OP_KEYS];
    uint32_t extra[EXTRAS + 1]; // their keys; room for 'index' too
    size_t n_extra;
};

struct process {
    session_id session;
    const char *invoked; // (1)
    int64_t began;       // number of that entry
    txn_id txn;          // what it began
};

struct reader {
    struct jepsen_log log;
    const struct jepsen_notation *notation;
    struct builder *b;
    struct forms forms, again;
    struct intmap process_index;
    VEC(struct process) processes;
    struct process nobody; // where the log names no process
    int64_t n_nobody;
    bool has_invocation;
    const char *orphan; // the first completion without an invocation
    VEC(struct atom) elements;
    struct buf meta;
};

/* --- complaints ---------------------------------------------------------- */

static bool
unexpected(struct reader *r, const struct forms *f, uint32_t i,
           const char *expected)
{
    const struct form *form = &f->at[i];
    struct scan *s = &r->log.s;
    if (form->kind < FORM_VECTOR && form->kind != FORM_STRING)
        return scan_unexpected(s, form->at, expected);
    if (form->kind == FORM_STRING)
        return scan_unexpected_text(s, form->at, form->text, expected);
    return scan_fail(s, form->at, ERR_SYNTAX, "found %s, expected %s",
                     form_kind_name(form->kind), expected);
}

/* --- the entries of an operation ----------------------------------------- */

static bool
is_word(const struct form *form)
{
    return form->kind == FORM_KEYWORD || form->kind == FORM_STRING ||
           form->kind == FORM_SYMBOL;
}

static enum op_key
find_key(struct span text)
{
    unsigned k = 0;
    while (k < N_OP_KEYS && !span_is(text, op_keys[k]))
        k++;
    return (enum op_key)k;
}

bool
jepsen_is_reserved(struct span key)
{
    return find_key(key) < N_OP_KEYS;
}

static bool
add_extra(struct reader *r, struct op *op, uint32_t i)
{
    const struct form *key = &op->f->at[i];
    for (size_t j = 0; j < op->n_extra; j++) {
        const struct span other = op->f->at[op->extra[j]].text;
        if (key->text.n == other.n &&
            memcmp(key->text.at, other.at, other.n) == 0)
            return unexpected(r, op->f, i, "each key once in an operation");
    }
    if (op->n_extra == EXTRAS)
        return scan_fail(&r->log.s, key->at, ERR_LIMIT,
                         "an operation with more than %d entries", EXTRAS);
    op->extra[op->n_extra++] = i;
    return true;
}

static bool
read_op(struct reader *r, const struct forms *f, struct op *op)
{
    const uint32_t root = form_untagged(f, 0);
    op->f = f;
    op->at = f->at[0].at;
    op->n_extra = 0;
    memset(op->known, 0, sizeof op->known);
    if (f->at[root].kind != FORM_MAP)
        return unexpected(r, f, root, "an operation, a map");
    for (uint32_t i = form_first(root); i < form_end(f, root);
         i = form_next(f, form_next(f, i))) {
        if (!is_word(&f->at[i]))
            return unexpected(r, f, i, "a keyword or a string");
        const enum op_key k = find_key(f->at[i].text);
        if (k == N_OP_KEYS) {
            if (!add_extra(r, op, i))
                return false;
        } else if (op->known[k]) {
            return unexpected(r, f, i, "each key once in an operation");
        } else {
            op->known[k] = form_next(f, i);
        }
    }
    return true;
}

static bool
read_type(struct reader *r, const struct op *op, enum op_type *out)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};
    const uint32_t i = op->known[KEY_TYPE];
    *out = TYPE_INVOKE;
    if (!i)
        return scan_fail(&r->log.s, op->at, ERR_SYNTAX,
                         "an operation without 'type'");
    const struct form *form = &op->f->at[i];
    for (unsigned type = TYPE_INVOKE; type <= TYPE_INFO; type++)
        if (is_word(form) && span_is(form->text, names[type])) {
            *out = (enum op_type)type;
            return true;
        }
    return unexpected(r, op->f, i, "invoke, ok, fail or info");
}

/* --- processes ----------------------------------------------------------- */

/* The process of an operation, or NULL where that is no client. */
static bool
find_process(struct reader *r, const struct op *op, struct process **out)
{
    const uint32_t i = op->known[KEY_PROCESS];
    const struct form *form = &op->f->at[i];
    const bool is_nobody = !i || form->kind == FORM_NIL;
    *out = NULL;
    if (!is_nobody && form->kind == FORM_NUMBER)
        return unexpected(r, op->f, i, "a process, an integer of 64 bits");
    if (!is_nobody && form->kind != FORM_INTEGER)
        return true;
    if (is_nobody ? r->processes.n : (size_t)r->n_nobody)
        return scan_fail(&r->log.s, op->at, ERR_SYNTAX,
                         is_nobody ? "an operation without 'process', "
                                     "expected one as in those before it"
                                   : "an operation with 'process', "
                                     "expected none as in those before it");
    if (is_nobody) {
        // Its session begins with its invocation, or with what comes alone.
        if (!r->nobody.invoked)
            r->nobody.session = builder_session(r->b, atom_int(r->n_nobody++));
        *out = &r->nobody;
        return true;
    }
    if (form->atom.tag != ATOM_INT)
        return unexpected(r, op->f, i, "a process below 2^63");
    bool added;
    const uint32_t at = intmap_add(&r->process_index, form->atom.bits,
                                   (uint32_t)r->processes.n, &added);
    if (added) {
        const uint32_t name = op->known[KEY_SESSION];
        const struct atom session =
            name ? form_atom(op->f, name, r->b) : form->atom;
        vec_push(&r->processes,
                 ((struct process){.session = builder_session(r->b, session)}));
    }
    *out = &r->processes.at[at];
    return true;
}

/* --- micro-operations ---------------------------------------------------- */

enum mop_kind { MOP_READ, MOP_WRITE, MOP_APPEND };

/* A micro-operation [f key value]; value is 0 where it has none. */
struct mop {
    enum mop_kind kind;
    uint32_t key, value;
};

static bool
read_mop(struct reader *r, const struct forms *f, uint32_t i, struct mop *out)
{
    const struct form *form = &f->at[i];
    if (form->kind != FORM_VECTOR || form->size < 3)
        return unexpected(r, f, i, "a micro-operation, [f key value]");
    const uint32_t name = form_first(i), end = form_end(f, i);
    const struct span text = f->at[name].text;
    if (is_word(&f->at[name]) && span_is(text, "r"))
        out->kind = MOP_READ;
    else if (is_word(&f->at[name]) && span_is(text, "w"))
        out->kind = MOP_WRITE;
    else if (is_word(&f->at[name]) && span_is(text, "append"))
        out->kind = MOP_APPEND;
    else
        return unexpected(r, f, name, "r, w or append");
    out->key = form_next(f, name);
    if (out->key == end || f->at[out->key].kind == FORM_NIL)
        return scan_fail(&r->log.s, form->at, ERR_SYNTAX,
                         "a micro-operation without a key, expected "
                         "[f key value]");
    out->value = form_next(f, out->key);
    if (out->value == end) {
        out->value = 0;
        return out->kind == MOP_READ ||
               scan_fail(&r->log.s, form->at, ERR_SYNTAX,
                         "a write without a value");
    }
    if (form_next(f, out->value) != end)
        return unexpected(r, f, form_next(f, out->value),
                          "']' behind the value");
    return true;
}

static bool
add_read(struct reader *r, const struct forms *f, const struct mop *mop,
         txn_id t, struct atom key)
{
    const uint32_t v = mop->value;
    if (f->at[v].kind != FORM_VECTOR)
        return builder_read(r->b, t, key, form_atom(f, v, r->b), r->log.s.err);
    vec_clear(&r->elements);
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i))
        vec_push(&r->elements, form_atom(f, i, r->b));
    return builder_read_list(r->b, t, key, r->elements.at, r->elements.n,
                             r->log.s.err);
}

static bool
add_mop(struct reader *r, const struct forms *f, uint32_t i, enum op_type type,
        txn_id t)
{
    struct mop mop = {0};
    if (!read_mop(r, f, i, &mop))
        return false;
    struct err *err = r->log.s.err;
    const enum form_kind value = mop.value ? f->at[mop.value].kind : FORM_NIL;
    if (mop.kind == MOP_READ && value == FORM_NIL && type != TYPE_OK)
        return true; // what it saw is not known
    if (!mop.value)
        return scan_fail(&r->log.s, f->at[i].at, ERR_SYNTAX,
                         "a read of an ok operation without a value");
    if (mop.kind == MOP_WRITE && value == FORM_VECTOR)
        return unexpected(r, f, mop.value,
                          "a scalar: reads of vectors are reads of lists");
    const struct atom key = form_atom(f, mop.key, r->b);
    bool ok;
    if (mop.kind == MOP_READ)
        ok = add_read(r, f, &mop, t, key);
    else if (mop.kind == MOP_WRITE)
        ok = builder_write(r->b, t, key, form_atom(f, mop.value, r->b), err);
    else
        ok = builder_append(r->b, t, key, form_atom(f, mop.value, r->b), err);
    return ok || scan_locate(&r->log.s, f->at[i].at);
}

static bool
has_mops(const struct op *op)
{
    const uint32_t i = op->known[KEY_VALUE];
    return i && op->f->at[i].kind == FORM_VECTOR;
}

static bool
needs_mops(struct reader *r, const struct op *op)
{
    const uint32_t i = op->known[KEY_VALUE];
    if (!i)
        return scan_fail(&r->log.s, op->at, ERR_SYNTAX,
                         "an operation without 'value'");
    return has_mops(op) ||
           unexpected(r, op->f, i, "a vector of micro-operations");
}

/* Check the micro-operations, or hand them to the builder. */
static bool
each_mop(struct reader *r, const struct op *op, enum op_type type,
         const txn_id *t)
{
    const struct forms *f = op->f;
    const uint32_t v = op->known[KEY_VALUE];
    struct mop ignored;
    for (uint32_t i = form_first(v); i < form_end(f, v); i = form_next(f, i))
        if (t ? !add_mop(r, f, i, type, *t) : !read_mop(r, f, i, &ignored))
            return false;
    return true;
}

/* --- transactions -------------------------------------------------------- */

/* What is kept for the explanation: entries that mean nothing to us. */
static void
keep_meta(struct reader *r, const struct op *op, txn_id t)
{
    const struct forms *f = op->f;
    if (!op->n_extra)
        return;
    buf_clear(&r->meta);
    const uint32_t first = op->extra[0], only = form_next(f, first);
    if (op->n_extra == 1 && span_is(f->at[first].text, "meta") &&
        f->at[only].kind == FORM_MAP) {
        form_show_json(f, only, &r->meta);
    } else {
        for (size_t i = 0; i < op->n_extra; i++) {
            buf_char(&r->meta, i ? ',' : '{');
            form_show_json_key(f, op->extra[i], &r->meta);
            buf_char(&r->meta, ':');
            form_show_json(f, form_next(f, op->extra[i]), &r->meta);
        }
        buf_char(&r->meta, '}');
    }
    builder_meta(r->b, t, r->meta.at, r->meta.n);
}

/* Begin a transaction of p.  What is not told later stays as it is here. */
static bool
begin_txn(struct reader *r, const struct op *op, struct process *p)
{
    if (!builder_txn(r->b, p->session, &p->txn, r->log.s.err))
        return scan_locate(&r->log.s, op->at);
    builder_status(r->b, p->txn, TXN_INDETERMINATE);
    return true;
}

/* End it with what 'op' tells: name, meta data and micro-operations, the
 * latter from 'mops' where op has none. */
static bool
end_txn(struct reader *r, struct op *op, struct process *p,
        const struct op *mops, enum op_type type)
{
    const uint32_t id = op->known[KEY_TXN_ID], index = op->known[KEY_INDEX];
    if (id && index)
        op->extra[op->n_extra++] = index - 1; // its key is one scalar
    if (id || index)
        builder_name(r->b, p->txn, form_atom(op->f, id ? id : index, r->b));
    keep_meta(r, op, p->txn);
    const bool is_known = type == TYPE_OK || type == TYPE_FAIL;
    if (is_known)
        builder_status(r->b, p->txn,
                       type == TYPE_OK ? TXN_COMMITTED : TXN_ABORTED);
    if (p->invoked)
        builder_times(r->b, p->txn, p->began, is_known ? r->log.n : INT64_MAX);
    p->invoked = NULL;
    return each_mop(r, mops, type, &p->txn);
}

static bool
invoke(struct reader *r, const struct op *op, struct process *p)
{
    if (r->orphan)
        return scan_fail(&r->log.s, r->orphan, ERR_SYNTAX,
                         "a completion without an invocation before it");
    if (p->invoked) {
        uint64_t line, column;
        input_position(r->log.s.in, (size_t)(p->invoked - r->log.s.in->data),
                       &line, &column);
        return scan_fail(&r->log.s, op->at, ERR_SYNTAX,
                         "an invocation, expected the completion of the one "
                         "at %" PRIu64 ":%" PRIu64,
                         line, column);
    }
    r->has_invocation = true;
    p->invoked = op->at;
    p->began = r->log.n;
    return needs_mops(r, op) && each_mop(r, op, TYPE_INVOKE, NULL) &&
           begin_txn(r, op, p);
}

/* Read the operation at 'at' once more. */
static bool
read_again(struct reader *r, const char *at, struct op *op)
{
    const char *behind = r->log.s.at;
    r->log.s.at = at;
    const bool ok =
        r->notation->again(&r->log.s, &r->again) && read_op(r, &r->again, op);
    r->log.s.at = behind;
    return ok;
}

static bool
complete(struct reader *r, struct op *op, struct process *p, enum op_type type)
{
    const bool is_orphan = !p->invoked;
    if (is_orphan && r->has_invocation)
        return scan_fail(&r->log.s, op->at, ERR_SYNTAX,
                         "a completion without an invocation before it");
    if (is_orphan && !r->orphan)
        r->orphan = op->at;
    if ((type == TYPE_OK || is_orphan) && !needs_mops(r, op))
        return false;
    if (is_orphan && !begin_txn(r, op, p))
        return false;
    if (has_mops(op))
        return end_txn(r, op, p, op, type);
    struct op invocation;
    return read_again(r, p->invoked, &invocation) &&
           end_txn(r, op, p, &invocation, type);
}

/* A transaction that is still open where the log ends. */
static bool
leave_open(struct reader *r, struct process *p)
{
    struct op op;
    return !p->invoked || (read_again(r, p->invoked, &op) &&
                           end_txn(r, &op, p, &op, TYPE_INFO));
}

/* --- the log ------------------------------------------------------------- */

static bool
take_entry(struct reader *r)
{
    struct op op;
    struct process *p;
    enum op_type type;
    if (!read_op(r, &r->forms, &op) || !find_process(r, &op, &p))
        return false;
    if (!p)
        return true;
    if (!read_type(r, &op, &type))
        return false;
    return type == TYPE_INVOKE ? invoke(r, &op, p) : complete(r, &op, p, type);
}

static bool
read_log(struct reader *r)
{
    struct scan *s = &r->log.s;
    const char *first = NULL;
    for (;;) {
        bool found;
        if (!r->notation->next(&r->log, &r->forms, &found))
            return false;
        if (!found)
            break;
        if (!first)
            first = r->forms.at[0].at;
        if (!take_entry(r))
            return false;
        r->log.n++;
    }
    if (first && !r->processes.n && !r->n_nobody)
        return scan_fail(s, first, ERR_SYNTAX,
                         "no operation of a client in the log: no 'process' "
                         "is an integer");
    for (size_t i = 0; i < r->processes.n; i++)
        if (!leave_open(r, &r->processes.at[i]))
            return false;
    return leave_open(r, &r->nobody);
}

bool
jepsen_read(struct input *in, const struct jepsen_notation *notation,
            struct builder *b, struct err *err)
{
    struct reader r = {.notation = notation, .b = b};
    scan_init(&r.log.s, in, err);
    const bool ok = read_log(&r);
    forms_free(&r.forms);
    forms_free(&r.again);
    intmap_free(&r.process_index);
    vec_free(&r.processes);
    vec_free(&r.elements);
    buf_free(&r.meta);
    scan_free(&r.log.s);
    return ok;
}
