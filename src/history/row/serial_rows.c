/* serial_rows.c -- see serial_rows.h.
 *
 * The transactions run in the serial order.  For each key, 'now' is the value
 * that it has, and 'label' the unique value that stands for its last write.
 * Afterwards the operations are passed on in the order of the recording.
 *
 *   (1) label[op] of an operation that is kept is its value in the result;
 *   (2) a key of h that asks only whether a row is there is the register of its
 *       existence.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/serial_rows.h"

#include "history/builder/builder.h"

#include <string.h>

// A label: the number of a write in the serial order, from 1 on.
enum { LABEL_INIT = 0 };

// Answers of a condition, in the place of values.
#define NO_MATCH (UINT32_MAX - 1)
#define A_MATCH (UINT32_MAX - 2)

#define LABEL_NONE UINT32_MAX

struct serial {
    const struct history *h;
    const struct serial_rows *how;
    struct builder *b;
    struct err *err;
    value_id *now;   // by key
    uint32_t *label; // by key
    uint32_t labels;

    // By key of a row: whether a transaction read that it was absent, whether
    // it is there now, and the last write that changed this.
    uint8_t *is_asked, *is_there;
    uint32_t *existence;

    uint32_t *op_label;   // by operation: (1), or LABEL_NONE
    uint32_t *op_exists;  // by operation: the label of the existence of its
                          // row, which it reads or writes, or LABEL_NONE
    uint32_t *op_finds;   // by operation: the label of the existence of its row
                          // before the first write of its transaction, which
                          // op is; or LABEL_NONE
    uint8_t *finds_row;   // by operation: whether it was there
    txn_id *changer;      // by key of a row: the last transaction that wrote it
    uint8_t *is_used;     // by value: a write has it already as its value
    uint8_t *is_repeated; // by operation: an earlier write has its value
};

/* --- what a key is --------------------------------------------------------*/

static bool
is_question(const struct history *h, key_id k)
{
    return history_key_is_row(h, k) && h->key_rows[k].where != ID_NONE;
}

static bool
is_row(const struct history *h, key_id k)
{
    return history_key_is_row(h, k) && h->key_rows[k].where == ID_NONE;
}

/* Whether the question of a key is only whether the row is there (2). */
static bool
asks_existence(const struct history *h, key_id k)
{
    return is_question(h, k) &&
           strcmp(strings_get(&h->strings, h->key_rows[k].where).text, "()") ==
               0;
}

/* Whether a value of the key of a row is its absence. */
static bool
is_absent(const struct history *h, key_id k, value_id v)
{
    const struct atom a = history_value_atom(h, v);
    const uint32_t text = v == VALUE_INIT || !atom_is_text(a)
                              ? h->key_rows[k].initial
                              : (uint32_t)a.bits;
    return (v == VALUE_INIT || !atom_is_text(a) || a.tag == ATOM_KEYWORD) &&
           strcmp(strings_get(&h->strings, text).text, "absent") == 0;
}

/* The value, VALUE_INIT also where the initial value was written again. */
static value_id
plain_value(const struct history *h, value_id v)
{
    return v == VALUE_INIT || atom_equal(history_value_atom(h, v), h->initial)
               ? VALUE_INIT
               : v;
}

/* The same for questions: of a condition only whether it holds. */
static value_id
plain_answer(const struct history *h, key_id k, value_id v)
{
    static const char where[] = "where ";
    v = plain_value(h, v);
    if (!is_question(h, k) ||
        strncmp(strings_get(&h->strings, h->key_rows[k].where).text, where,
                strlen(where)) != 0)
        return v;
    const struct atom a = history_value_atom(h, v);
    const bool is_none =
        v == VALUE_INIT
            ? strcmp(strings_get(&h->strings, h->key_rows[k].initial).text,
                     "none") == 0
            : a.tag == ATOM_KEYWORD;
    return is_none ? NO_MATCH : A_MATCH;
}

/* Whether a read is of the existence of its row: (2), or a row was absent, or
 * (5). */
static bool
reads_existence(const struct serial *s, op_id op)
{
    const struct history *h = s->h;
    const key_id k = op_key(h, op);
    return asks_existence(h, k) ||
           (is_row(h, k) && ((s->how->with_locks && op_is_check(h, op)) ||
                             is_absent(h, k, h->op_value[op])));
}

static bool
is_kept_read(const struct serial *s, op_id op)
{
    const struct history *h = s->h;
    return op_is_external_read(h, op) &&
           (s->how->with_checks || s->how->with_locks || !op_is_check(h, op));
}

/* --- the serial run -------------------------------------------------------*/

static bool
refuse_read(const struct serial *s, txn_id t, op_id op)
{
    struct buf who = {0}, what = {0};
    history_show_txn(s->h, t, &who);
    history_show_op(s->h, op, &what);
    err_set(s->err, ERR_INTERNAL, "%s of %s does not fit the serial order",
            what.at, who.at);
    buf_free(&who);
    buf_free(&what);
    return false;
}

static bool
run_read(struct serial *s, txn_id t, op_id op)
{
    const struct history *h = s->h;
    const key_id k = op_key(h, op);
    if (s->now[k] != plain_answer(h, k, h->op_value[op]))
        return refuse_read(s, t, op);
    if (reads_existence(s, op))
        s->op_exists[op] = s->existence[h->key_rows[k].row];
    else
        s->op_label[op] = s->label[k];
    return true;
}

static void
run_write(struct serial *s, op_id op)
{
    const struct history *h = s->h;
    const key_id k = op_key(h, op);
    const value_id v = plain_value(h, h->op_value[op]);
    const value_id answer = plain_answer(h, k, v);
    const bool is_same = s->now[k] == answer;
    s->now[k] = answer;
    if (asks_existence(h, k) || (is_question(h, k) && is_same))
        return;
    s->is_repeated[op] = v == VALUE_INIT || s->is_used[v];
    s->is_used[v] = 1;
    s->label[k] = s->op_label[op] = ++s->labels;
    if (!is_row(h, k) || is_absent(h, k, v) == !s->is_there[k])
        return;
    s->is_there[k] = !s->is_there[k];
    s->existence[k] = ++s->labels;
    if (s->is_asked[k])
        s->op_exists[op] = s->labels;
}

/* The first write of each row finds the row as it is. */
static void
run_finds(struct serial *s, txn_id t)
{
    const struct history *h = s->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const key_id k = op_key(h, op);
        if (!op_is_write(h, op) || !is_row(h, k) || s->changer[k] == t)
            continue;
        s->changer[k] = t;
        s->op_finds[op] = s->existence[k];
        s->finds_row[op] = s->is_there[k];
    }
}

static bool
run_txn(struct serial *s, txn_id t)
{
    const struct history *h = s->h;
    if (s->how->left_out && s->how->left_out[t])
        return true;
    if (s->how->with_locks && h->txn_status[t] != TXN_LOADING)
        run_finds(s, t);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (is_kept_read(s, op) && !run_read(s, t, op))
            return false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op))
            run_write(s, op);
    return true;
}

static bool
run_all(struct serial *s)
{
    const struct history *h = s->h;
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_LOADING)
            run_txn(s, t);
    for (size_t i = 0; i < s->how->n; i++)
        if (h->txn_status[s->how->order[i]] != TXN_LOADING &&
            !run_txn(s, s->how->order[i]))
            return false;
    return true;
}

/* --- passing on -----------------------------------------------------------*/

static struct atom
carry(struct serial *s, struct atom a)
{
    if (!atom_is_text(a))
        return a;
    const struct string text = strings_get(&s->h->strings, (uint32_t)a.bits);
    return builder_text(s->b, a.tag, text.text, text.len);
}

/* The value of write op, which is unique: what was written, and a number where
 * it was written before. */
static struct atom
written(struct serial *s, op_id op)
{
    const struct history *h = s->h;
    if (!s->is_repeated[op])
        return carry(s, history_value_atom(h, h->op_value[op]));
    struct buf text = {0};
    const key_id k = op_key(h, op);
    if (plain_value(h, h->op_value[op]) == VALUE_INIT &&
        history_key_is_row(h, k))
        buf_text(&text, strings_get(&h->strings, h->key_rows[k].initial).text);
    else
        history_show_value(h, h->op_value[op], &text);
    buf_printf(&text, "#%u", s->op_label[op]);
    const struct atom a = builder_text(s->b, ATOM_STRING, text.at, text.n);
    buf_free(&text);
    return a;
}

/* The register of the existence of a row. */
static bool
exists_key(struct serial *s, key_id row, bool was_there, struct atom *key)
{
    const struct history *h = s->h;
    const struct string name =
        strings_get(&h->strings, (uint32_t)history_key_atom(h, row).bits);
    struct buf text = {0};
    buf_add(&text, name.text, name.len);
    buf_text(&text, " exists");
    *key = builder_text(s->b, ATOM_OTHER, text.at, text.n);
    buf_free(&text);
    const struct builder_row mark = {.row = carry(s, history_key_atom(h, row)),
                                     .where = "exists",
                                     .initial = was_there ? "there" : "absent"};
    return builder_copy_row(s->b, h, row, s->err) &&
           builder_row(s->b, *key, &mark, s->err);
}

static struct atom
exists_value(struct serial *s, uint32_t label, bool is_there)
{
    if (label == LABEL_INIT)
        return atom_nil();
    struct buf text = {0};
    buf_printf(&text, "%s#%u", is_there ? "there" : "absent", label);
    const struct atom a = builder_text(s->b, ATOM_STRING, text.at, text.n);
    buf_free(&text);
    return a;
}

static bool
was_there(const struct history *h, key_id row)
{
    return !is_absent(h, row, VALUE_INIT);
}

static bool
pass_read(struct serial *s, op_id op, txn_id to, const struct atom *by_label)
{
    const struct history *h = s->h;
    const key_id k = op_key(h, op);
    const size_t first = builder_ops(s->b);
    struct atom key;
    bool ok;
    if (s->op_exists[op] != LABEL_NONE) {
        const key_id row = h->key_rows[k].row;
        const bool is_there = !is_absent(h, row, h->op_value[op]);
        ok = exists_key(s, row, was_there(h, row), &key) &&
             builder_read(s->b, to, key,
                          exists_value(s, s->op_exists[op], is_there), s->err);
    } else {
        const uint32_t label = s->op_label[op];
        ok = builder_copy_row(s->b, h, k, s->err) &&
             builder_read(s->b, to, carry(s, history_key_atom(h, k)),
                          label == LABEL_INIT ? atom_nil() : by_label[label],
                          s->err);
    }
    if (ok && s->how->marks)
        builder_mark(s->b, first, s->how->marks[op]);
    return ok;
}

static bool
pass_write(struct serial *s, op_id op, txn_id to, const struct atom *by_label)
{
    const struct history *h = s->h;
    const key_id k = op_key(h, op);
    const size_t first = builder_ops(s->b);
    struct atom key;
    if (s->op_exists[op] != LABEL_NONE) {
        const bool is_there = !is_absent(h, k, h->op_value[op]);
        if (!exists_key(s, k, was_there(h, k), &key) ||
            !builder_write(s->b, to, key,
                           exists_value(s, s->op_exists[op], is_there), s->err))
            return false;
    }
    const bool ok = builder_copy_row(s->b, h, k, s->err) &&
                    builder_write(s->b, to, carry(s, history_key_atom(h, k)),
                                  by_label[s->op_label[op]], s->err);
    if (ok && s->how->marks)
        builder_mark(s->b, first, s->how->marks[op]);
    return ok;
}

/* The marks that predictions for a database use (5). */
static void
pass_marks(struct serial *s, op_id op, size_t first)
{
    const struct history *h = s->h;
    unsigned marks =
        s->how->with_locks && h->op_marks ? h->op_marks[op] & ~OP_MARKS : 0;
    if (s->how->with_locks && !op_is_write(h, op) && op_is_check(h, op)) {
        const bool is_found = is_row(h, op_key(h, op)) &&
                              !is_absent(h, op_key(h, op), h->op_value[op]);
        const unsigned lock = is_found ? ROW_LOCK_KEY_SHARE : ROW_LOCK_NONE;
        marks = (marks & ~(0xffu << OP_LOCK_SHIFT)) | OP_FIXED |
                lock << OP_LOCK_SHIFT;
    }
    builder_mark(s->b, first, marks);
}

/* The read of the existence of a row that op is the first to write (5). */
static bool
pass_found(struct serial *s, op_id op, txn_id to)
{
    const struct history *h = s->h;
    const key_id k = op_key(h, op);
    const size_t first = builder_ops(s->b);
    struct atom key;
    if (s->op_finds[op] == LABEL_NONE)
        return true;
    if (!exists_key(s, k, was_there(h, k), &key) ||
        !builder_read(s->b, to, key,
                      exists_value(s, s->op_finds[op], s->finds_row[op]),
                      s->err))
        return false;
    pass_marks(s, op, first);
    builder_mark(s->b, first, OP_FIXED);
    return true;
}

/* A mark of a statement that begins with an operation which is not passed on
 * belongs to the next one that is. */
static bool
pass_ops(struct serial *s, txn_id t, txn_id to, const struct atom *by_label)
{
    const struct history *h = s->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const size_t first = builder_ops(s->b);
        if (!pass_found(s, op, to))
            return false;
        if (s->op_label[op] == LABEL_NONE && s->op_exists[op] == LABEL_NONE)
            continue;
        const size_t begin = s->op_finds[op] == LABEL_NONE ? first : first + 1;
        if (!(op_is_write(h, op) ? pass_write : pass_read)(s, op, to, by_label))
            return false;
        pass_marks(s, op, begin);
    }
    return true;
}

static struct atom
name_of(struct serial *s, txn_id t)
{
    const struct atom name = history_txn_atom(s->h, t);
    if (s->how->names && s->how->names[t])
        return builder_text(s->b, ATOM_STRING, s->how->names[t],
                            strlen(s->how->names[t]));
    if (name.tag != ATOM_NIL)
        return carry(s, name);
    struct buf text = {0};
    history_show_txn(s->h, t, &text);
    const struct atom a = builder_text(s->b, ATOM_STRING, text.at, text.n);
    buf_free(&text);
    return a;
}

static bool
pass_txn(struct serial *s, txn_id t, const struct atom *by_label)
{
    const struct history *h = s->h;
    const struct atom name = name_of(s, t);
    const struct atom session =
        s->how->each_alone ? name
                           : carry(s, h->session_name[h->txn_session[t]]);
    txn_id to;
    if (!builder_txn(s->b, builder_session(s->b, session), &to, s->err))
        return false;
    builder_name(s->b, to, name);
    if (h->txn_status[t] == TXN_LOADING)
        builder_status(s->b, to, TXN_LOADING);
    if (h->txn_meta && h->txn_meta[t] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[t]);
        builder_meta(s->b, to, meta.text, meta.len);
    }
    if (h->txn_partial && h->txn_partial[t] != ID_NONE) {
        const struct string part = strings_get(&h->strings, h->txn_partial[t]);
        builder_partial(s->b, to, part.text, part.len);
    }
    return pass_ops(s, t, to, by_label);
}

/* All transactions, in the serial order, which is one of each session too. */
static bool
pass_all(struct serial *s, txn_id **from, struct history *out)
{
    const struct history *h = s->h;
    struct atom *by_label = mem_calloc(s->labels + 1, sizeof *by_label);
    txn_id *old = mem_alloc(h->n_txns + 1, sizeof *old);
    size_t n = 0;
    bool ok = true;
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_write(h, op) && s->op_label[op] != LABEL_NONE)
            by_label[s->op_label[op]] = written(s, op);
    builder_keep_loading(s->b);
    for (txn_id t = 0; ok && t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_LOADING) {
            old[n++] = t;
            ok = pass_txn(s, t, by_label);
        }
    for (size_t i = 0; ok && i < s->how->n; i++) {
        const txn_id t = s->how->order[i];
        if (h->txn_status[t] == TXN_LOADING ||
            (s->how->left_out && s->how->left_out[t]))
            continue;
        old[n++] = t;
        ok = pass_txn(s, t, by_label);
    }
    mem_free(by_label);
    if (!ok) {
        builder_free(s->b);
        mem_free(old);
        return false;
    }
    if (!builder_finish(s->b, out, s->err)) {
        mem_free(old);
        return false;
    }
    *from = mem_alloc(out->n_txns + 1, sizeof **from);
    for (size_t i = 0; i < n; i++)
        (*from)[out->arrival[i]] = old[i];
    mem_free(old);
    return true;
}

static uint32_t *
numbers(size_t n, uint32_t value)
{
    uint32_t *at = mem_alloc(n + 1, sizeof *at);
    for (size_t i = 0; i <= n; i++)
        at[i] = value;
    return at;
}

static void
prepare(struct serial *s)
{
    const struct history *h = s->h;
    s->now = numbers(h->n_keys, VALUE_INIT);
    s->label = numbers(h->n_keys, LABEL_INIT);
    s->existence = numbers(h->n_keys, LABEL_INIT);
    s->op_label = numbers(h->n_ops, LABEL_NONE);
    s->op_exists = numbers(h->n_ops, LABEL_NONE);
    s->is_asked = mem_calloc(h->n_keys + 1, 1);
    s->is_there = mem_calloc(h->n_keys + 1, 1);
    s->op_finds = numbers(h->n_ops, LABEL_NONE);
    s->finds_row = mem_calloc(h->n_ops + 1, 1);
    s->changer = numbers(h->n_keys, TXN_NONE);
    s->is_used = mem_calloc(h->n_values + 1, 1);
    s->is_repeated = mem_calloc(h->n_ops + 1, 1);
    for (key_id k = 0; k < h->n_keys; k++)
        if (is_row(h, k))
            s->is_there[k] = was_there(h, k);
        else
            s->now[k] = plain_answer(h, k, VALUE_INIT);
    for (op_id op = 0; op < h->n_ops; op++) {
        const key_id k = op_key(h, op);
        if (!history_key_is_row(h, k))
            continue;
        if (op_is_write(h, op) ? s->how->with_locks
                               : is_kept_read(s, op) && reads_existence(s, op))
            s->is_asked[h->key_rows[k].row] = 1;
    }
}

bool
serial_rows_make(const struct history *h, const struct serial_rows *how,
                 struct history *out, txn_id **from, struct err *err)
{
    assert(!h->key_is_list);
    struct serial s = {.h = h, .how = how, .err = err};
    prepare(&s);
    bool ok = run_all(&s);
    if (ok) {
        s.b = builder_new(h->initial);
        ok = pass_all(&s, from, out);
    }
    mem_free(s.now);
    mem_free(s.label);
    mem_free(s.existence);
    mem_free(s.op_label);
    mem_free(s.op_exists);
    mem_free(s.is_asked);
    mem_free(s.is_there);
    mem_free(s.op_finds);
    mem_free(s.finds_row);
    mem_free(s.changer);
    mem_free(s.is_used);
    mem_free(s.is_repeated);
    return ok;
}
