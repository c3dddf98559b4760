/* builder.c -- adding sessions, transactions and operations; see builder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/builder/builder.h"

#include "history/builder/builder_bulk.h"
#include "history/row/row_log.h"

#include <inttypes.h>

enum { TYPICAL_TXN = 4 }; // operations of a transaction, at least

struct builder *
builder_new(struct atom initial)
{
    struct builder *b = mem_calloc(1, sizeof *b);
    b->initial = initial;
    values_init(&b->values);
    return b;
}

void
builder_free(struct builder *b)
{
    if (!b)
        return;
    strings_free(&b->strings);
    buf_free(&b->notes);
    for (int tag = 0; tag < ATOM_TAGS; tag++) {
        intmap_free(&b->session_index[tag]);
        intmap_free(&b->key_index[tag]);
    }
    vec_free(&b->session_names);
    vec_free(&b->txn_session);
    vec_free(&b->txn_status);
    atoms_free(&b->txn_names);
    vec_free(&b->began);
    vec_free(&b->ended);
    vec_free(&b->start_ts);
    vec_free(&b->commit_ts);
    vec_free(&b->meta);
    vec_free(&b->partial);
    vec_free(&b->places);
    vec_free(&b->runs);
    vec_free(&b->op_key);
    vec_free(&b->op_value);
    vec_free(&b->op_marks);
    atoms_free(&b->key_names);
    vec_free(&b->key_use);
    values_free(&b->values);
    vec_free(&b->waiting.reads);
    mem_free(b->ahead);
    list_orders_free(&b->orders);
    vec_free(&b->list_reads);
    vec_free(&b->list_items);
    vec_free(&b->authors);
    vec_free(&b->key_rows);
    vec_free(&b->links);
    row_log_free(b->rows);
    mem_free(b);
}

void
builder_expect(struct builder *b, size_t ops)
{
    values_expect(&b->values, ops / 2);
    intmap_expect(&b->key_index[ATOM_INT], ops);
    vec_reserve(&b->op_key, ops);
    vec_reserve(&b->op_value, ops);
    // Unused room costs no memory; growing would fragment the heap.
    const size_t txns = ops / TYPICAL_TXN;
    vec_reserve(&b->txn_session, txns);
    vec_reserve(&b->txn_status, txns);
    vec_reserve(&b->runs, txns);
}

void
builder_threads(struct builder *b, unsigned threads)
{
    assert(threads > 0);
    b->threads = threads;
}

void
builder_cut(struct builder *b)
{
    b->is_cut = true;
}

void
builder_skipped(struct builder *b, uint64_t n)
{
    assert(n);
    b->is_cut = true;
    b->n_skipped += n;
}

void
builder_note(struct builder *b, const char *text)
{
    assert(!strchr(text, '\n'));
    buf_text(&b->notes, text);
    buf_char(&b->notes, '\n');
}

void
builder_recording(struct builder *b)
{
    b->is_recording = true;
}

struct atom
builder_text(struct builder *b, enum atom_tag tag, const char *text, size_t len)
{
    return (struct atom){strings_add(&b->strings, text, len), tag};
}

/* Whether n of them are within the capacity; an error otherwise. */
static bool
have_room(enum capacity c, uint64_t n, struct err *err)
{
    return capacity_holds(c, n) ||
           err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s", capacity_most[c],
                   capacity_name(c));
}

session_id
builder_session(struct builder *b, struct atom name)
{
    bool added;
    const session_id s = intmap_add(
        &b->session_index[name.tag], name.bits,
        capacity_index(CAPACITY_SESSIONS, b->session_names.n), &added);
    if (added)
        vec_push(&b->session_names, name);
    return s;
}

bool
builder_txn(struct builder *b, session_id s, txn_id *t, struct err *err)
{
    assert(s < b->session_names.n);
    if (!have_room(CAPACITY_TXNS, b->txn_session.n + 1, err))
        return false;
    *t = (txn_id)b->txn_session.n;
    vec_push(&b->txn_session, s);
    vec_push(&b->txn_status, (uint8_t)TXN_COMMITTED);
    return true;
}

void
builder_status(struct builder *b, txn_id t, enum txn_status status)
{
    assert(t < b->txn_status.n);
    b->txn_status.at[t] = (uint8_t)status;
}

void
builder_name(struct builder *b, txn_id t, struct atom name)
{
    assert(t < b->txn_session.n);
    while (b->txn_names.tags.n <= t)
        atoms_push(&b->txn_names, atom_nil());
    atoms_set(&b->txn_names, t, name);
}

void
builder_stamps(struct builder *b, txn_id t, struct stamp start,
               struct stamp commit)
{
    assert(t < b->txn_session.n);
    while (b->start_ts.n <= t) {
        vec_push(&b->start_ts, stamp_none());
        vec_push(&b->commit_ts, stamp_none());
    }
    b->start_ts.at[t] = start;
    b->commit_ts.at[t] = commit;
}

void
builder_times(struct builder *b, txn_id t, int64_t began, int64_t ended)
{
    assert(t < b->txn_session.n);
    // Without times a transaction is concurrent with every other.
    while (b->began.n <= t) {
        vec_push(&b->began, INT64_MIN);
        vec_push(&b->ended, INT64_MAX);
    }
    b->began.at[t] = began;
    b->ended.at[t] = ended;
}

void
builder_keep_places(struct builder *b)
{
    b->keeps_places = true;
}

void
builder_place(struct builder *b, txn_id t, uint64_t place)
{
    assert(t < b->txn_session.n);
    if (!b->keeps_places)
        return;
    while (b->places.n <= t)
        vec_push(&b->places, 0);
    b->places.at[t] = place;
}

place_vec *
builder_places(struct builder *b)
{
    return &b->places;
}

void
builder_meta(struct builder *b, txn_id t, const char *json, size_t len)
{
    assert(t < b->txn_session.n);
    while (b->meta.n <= t)
        vec_push(&b->meta, ID_NONE);
    b->meta.at[t] = strings_add(&b->strings, json, len);
}

void
builder_partial(struct builder *b, txn_id t, const char *json, size_t len)
{
    assert(t < b->txn_session.n);
    while (b->partial.n <= t)
        vec_push(&b->partial, ID_NONE);
    b->partial.at[t] = strings_add(&b->strings, json, len);
}

/* --- operations -------------------------------------------------------- */

bool
builder_intern_key(struct builder *b, struct atom name, key_id *key,
                   struct err *err)
{
    bool added;
    *key = intmap_add(&b->key_index[name.tag], name.bits,
                      (uint32_t)b->key_names.tags.n, &added);
    if (!added)
        return true;
    if (!have_room(CAPACITY_KEYS, b->key_names.tags.n + 1, err))
        return false;
    atoms_push(&b->key_names, name);
    if (b->has_lists)
        vec_push(&b->key_use, (uint8_t)USE_UNKNOWN);
    return true;
}

static bool
use_key(struct builder *b, key_id key, enum key_use use, struct err *err)
{
    assert(b->has_lists && key < b->key_use.n && use != USE_UNKNOWN);
    if (b->key_use.at[key] == USE_UNKNOWN)
        b->key_use.at[key] = (uint8_t)use;
    if (b->key_use.at[key] == use)
        return true;
    struct buf name = {0};
    atom_show(&b->strings, atoms_get(&b->key_names, key), &name);
    err_set(err, ERR_SYNTAX, "key %s is used both as a register and as a list",
            name.at);
    buf_free(&name);
    return false;
}

static bool
is_initial(const struct builder *b, struct atom value)
{
    return value.tag == ATOM_NIL || atom_equal(value, b->initial);
}

value_id
builder_intern_value(struct builder *b, key_id key, struct atom value)
{
    return is_initial(b, value) ? VALUE_INIT
                                : values_add(&b->values, key, value);
}

bool
builder_room(const struct builder *b, size_t n, struct err *err)
{
    return have_room(CAPACITY_OPS, b->op_key.n + n, err);
}

/* From now on, note whether each key is a register or a list.  A read of the
 * initial state does not say which. */
static bool
begin_lists(struct builder *b, struct err *err)
{
    if (b->has_lists)
        return true;
    if (!builder_bulk_flush(b, err))
        return false;
    b->has_lists = true;
    for (size_t k = 0; k < b->key_names.tags.n; k++)
        vec_push(&b->key_use, (uint8_t)USE_UNKNOWN);
    for (size_t op = 0; op < b->op_key.n; op++)
        if ((b->op_key.at[op] & OP_WRITE) || b->op_value.at[op] != VALUE_INIT)
            b->key_use.at[b->op_key.at[op] & OP_KEY] = USE_REGISTER;
    return true;
}

static bool
list_key(struct builder *b, struct atom name, key_id *key, struct err *err)
{
    return begin_lists(b, err) && builder_room(b, 1, err) &&
           builder_intern_key(b, name, key, err) &&
           use_key(b, *key, USE_LIST, err);
}

/* A register among lists. */
static bool
add_register(struct builder *b, const struct raw_op *op, struct err *err)
{
    const struct atom value = {op->value, (enum atom_tag)op->value_tag};
    key_id k = (key_id)op->key;
    if (!builder_room(b, 1, err))
        return false;
    if (!op->key_is_id &&
        !builder_intern_key(
            b, (struct atom){op->key, (enum atom_tag)op->key_tag}, &k, err))
        return false;
    if ((op->is_write || !is_initial(b, value)) &&
        !use_key(b, k, USE_REGISTER, err))
        return false;
    builder_add_op(b, op->txn, k | (op->is_write ? OP_WRITE : 0),
                   builder_intern_value(b, k, value));
    return true;
}

static bool
add_op(struct builder *b, txn_id t, bool is_write, struct atom key,
       struct atom value, struct err *err)
{
    const struct raw_op op = {
        .key = key.bits,
        .value = value.bits,
        .txn = t,
        .key_tag = (uint8_t)key.tag,
        .value_tag = (uint8_t)value.tag,
        .is_write = is_write,
    };
    if (b->has_lists)
        return add_register(b, &op, err);
    assert(t < b->txn_session.n && b->n_queue < TOGETHER);
    b->queue[b->n_queue++] = op;
    return b->n_queue < TOGETHER || builder_bulk_flush(b, err);
}

bool
builder_read(struct builder *b, txn_id t, struct atom key, struct atom value,
             struct err *err)
{
    return add_op(b, t, false, key, value, err);
}

bool
builder_write(struct builder *b, txn_id t, struct atom key, struct atom value,
              struct err *err)
{
    return add_op(b, t, true, key, value, err);
}

bool
builder_append(struct builder *b, txn_id t, struct atom key,
               struct atom element, struct err *err)
{
    if (element.tag == ATOM_NIL)
        return err_set(err, ERR_SYNTAX, "nil cannot be appended to a list");
    key_id k;
    if (!list_key(b, key, &k, err))
        return false;
    builder_add_op(b, t, k | OP_WRITE, values_add(&b->values, k, element));
    return true;
}

/* Note that the last operation read these n elements of key k. */
static void
note_list(struct builder *b, key_id k, const value_id *items, size_t n)
{
    assert(n && b->op_key.n &&
           b->op_value.at[b->op_value.n - 1] == items[n - 1]);
    struct list_read r = {(op_id)b->op_key.n - 1, (uint32_t)n, ID_NONE};
    if (!list_orders_explain(&b->orders, k, items, n, true)) {
        capacity_want(CAPACITY_LIST_ITEMS, b->list_items.n + n);
        r.own = (uint32_t)b->list_items.n;
        for (size_t j = 0; j < n; j++)
            vec_push(&b->list_items, items[j]);
    }
    vec_push(&b->list_reads, r);
}

bool
builder_read_list(struct builder *b, txn_id t, struct atom key,
                  const struct atom *elements, size_t n, struct err *err)
{
    key_id k;
    if (!list_key(b, key, &k, err))
        return false;
    u32_vec items = {0};
    for (size_t i = 0; i < n; i++) {
        if (elements[i].tag == ATOM_NIL) {
            vec_free(&items);
            return err_set(err, ERR_SYNTAX, "nil is no element of a list");
        }
        vec_push(&items, values_add(&b->values, k, elements[i]));
    }
    builder_add_op(b, t, k, n ? items.at[n - 1] : VALUE_INIT);
    if (n)
        note_list(b, k, items.at, n);
    vec_free(&items);
    return true;
}

bool
builder_row(struct builder *b, struct atom key, const struct builder_row *mark,
            struct err *err)
{
    key_id k, row;
    if (!builder_intern_key(b, mark->row, &row, err) ||
        !builder_intern_key(b, key, &k, err))
        return false;
    while (b->key_rows.n <= k)
        vec_push(&b->key_rows, ((struct row_key){.row = ID_NONE}));
    struct row_key *r = &b->key_rows.at[k];
    if (r->row != ID_NONE)
        return true;
    assert(mark->initial);
    r->row = row;
    r->where = mark->where
                   ? strings_add(&b->strings, mark->where, strlen(mark->where))
                   : ID_NONE;
    r->initial = strings_add(&b->strings, mark->initial, strlen(mark->initial));
    return true;
}

bool
builder_copy_row(struct builder *b, const struct history *h, key_id k,
                 struct err *err)
{
    if (!h->key_rows || h->key_rows[k].row == ID_NONE)
        return true;
    const struct row_key *r = &h->key_rows[k];
    if (r->row != k && !builder_copy_row(b, h, r->row, err))
        return false;
    struct atom names[2] = {history_key_atom(h, r->row),
                            history_key_atom(h, k)};
    for (int i = 0; i < 2; i++)
        if (atom_is_text(names[i])) {
            const struct string s =
                strings_get(&h->strings, (uint32_t)names[i].bits);
            names[i] = builder_text(b, names[i].tag, s.text, s.len);
        }
    const struct builder_row mark = {
        .row = names[0],
        .where = r->where == ID_NONE ? NULL
                                     : strings_get(&h->strings, r->where).text,
        .initial = strings_get(&h->strings, r->initial).text};
    return builder_row(b, names[1], &mark, err);
}

bool
builder_link(struct builder *b, struct atom row, struct version_link link,
             struct err *err)
{
    assert(link.after < b->txn_session.n && link.before != link.after);
    assert(link.before == TXN_INIT || link.before < b->txn_session.n);
    if (!builder_intern_key(b, row, &link.key, err))
        return false;
    vec_push(&b->links, link);
    return true;
}

void
builder_mark(struct builder *b, size_t first, unsigned marks)
{
    const size_t end = builder_ops(b);
    assert(first <= end);
    while (marks && first < end && b->op_marks.n < end)
        vec_push(&b->op_marks, 0);
    for (size_t i = first; marks && i < end; i++)
        b->op_marks.at[i] |= marks;
}

void
builder_rows(struct builder *b, struct row_log *rows)
{
    assert(!b->rows);
    b->rows = rows;
}

bool
builder_author(struct builder *b, txn_id t, struct atom key,
               struct atom element, struct err *err)
{
    key_id k;
    if (!list_key(b, key, &k, err))
        return false;
    const value_id v = values_add(&b->values, k, element);
    vec_push(&b->authors, ((struct list_author){.value = v, .seen = t}));
    return true;
}

void
builder_outcome(struct builder *b, txn_id t)
{
    vec_push(&b->authors,
             ((struct list_author){.value = VALUE_INIT, .seen = t}));
}

void
builder_keep_loading(struct builder *b)
{
    b->keep_loading = true;
}

bool
builder_batch(struct builder *b, const struct raw_op *ops, size_t n,
              struct err *err)
{
    if (!b->has_lists)
        return builder_bulk_flush(b, err) && builder_bulk_add(b, ops, n, err);
    for (size_t i = 0; i < n; i++)
        if (!add_register(b, &ops[i], err))
            return false;
    return true;
}

bool
builder_takes_batches(const struct builder *b, size_t txns, size_t ops)
{
    const size_t queued = b->n_queue + ops;
    return !b->has_lists &&
           capacity_holds(CAPACITY_TXNS, b->txn_session.n + txns) &&
           capacity_holds(CAPACITY_KEYS, b->key_names.tags.n + queued) &&
           capacity_holds(CAPACITY_OPS, b->op_key.n + queued);
}

bool
builder_is_cut(const struct builder *b)
{
    return b->is_cut;
}

enum txn_status
builder_status_of(const struct builder *b, txn_id t)
{
    assert(t < b->txn_status.n);
    return (enum txn_status)b->txn_status.at[t];
}

session_id
builder_session_of(const struct builder *b, txn_id t)
{
    assert(t < b->txn_session.n);
    return b->txn_session.at[t];
}

void
builder_leave_session(struct builder *b, txn_id t)
{
    const struct atom from = b->session_names.at[builder_session_of(b, t)];
    const size_t before = b->session_names.n;
    struct buf name = {0}, text = {0};
    atom_show(&b->strings, from, &name);
    for (uint64_t i = 1; b->session_names.n == before; i++) {
        buf_clear(&text);
        buf_printf(&text, "%s-unknown-%" PRIu64, name.at, i);
        b->txn_session.at[t] =
            builder_session(b, builder_text(b, ATOM_STRING, text.at, text.n));
    }
    buf_free(&name);
    buf_free(&text);
}

size_t
builder_txns(const struct builder *b)
{
    return b->txn_session.n;
}

size_t
builder_ops(const struct builder *b)
{
    return b->op_key.n + b->n_queue;
}
