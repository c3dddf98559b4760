/* home.c -- see home.h.
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/home.h"

#include "base/container/hash.h"
#include "base/container/intmap.h"

#include <stdio.h>

enum { PENDING = 1 << 16 }; // transactions for which an outcome is waited for

static void
set_odd(struct home *h, const char *why)
{
    if (!h->odd[0])
        snprintf(h->odd, sizeof h->odd, "%s", why);
}

/* --- reading ---------------------------------------------------------------*/

/* The rank that owns a key; the same for equal keys on all ranks. */
static size_t
owner_of(const struct home *h, struct atom key)
{
    uint64_t bits = key.bits;
    if (atom_is_text(key)) {
        const struct string s =
            strings_get(&h->names.texts, (uint32_t)key.bits);
        bits = hash_bytes(s.text, s.len);
    }
    return hash_pair(bits, key.tag) % (uint64_t)h->exchange->ranks;
}

static void
add_record(struct home *h, const struct stream_txn *t,
           const struct stream_op *op)
{
    const struct atom key = atoms_get(&h->names.keys.all, op->key);
    const struct record r = {.key = key.bits,
                             .value = op->value,
                             .label = t->rank,
                             .id = (uint64_t)h->exchange->rank << RECORD_RANK |
                                   t->number << RECORD_NUMBER |
                                   (uint64_t)op->is_write << RECORD_WRITE |
                                   (uint64_t)key.tag << RECORD_KEY | op->tag};
    byte_vec *box = &h->boxes[owner_of(h, key)];
    vec_grow(box, sizeof r);
    memcpy(box->at + box->n - sizeof r, &r, sizeof r);
}

static void
note_session(struct home *h, const struct stream_txn *t)
{
    while (h->sessions.n <= t->session) {
        vec_push(&h->sessions, (struct home_session){0});
        vec_push(&h->files, NULL);
    }
    struct home_session *s = &h->sessions.at[t->session];
    const bool has_number =
        t->name.tag == ATOM_INT && (int64_t)t->name.bits >= 0;
    const int64_t number = has_number ? (int64_t)t->name.bits : -1;
    if (!s->is_seen)
        *s = (struct home_session){.first_label = t->rank,
                                   .least = INT64_MAX,
                                   .most = -1,
                                   .is_seen = true};
    s->last_label = t->rank;
    if (has_number && number < s->least)
        s->least = number;
    if (has_number && number > s->most)
        s->most = number;
    if (h->is_directory && !h->files.at[t->session])
        h->files.at[t->session] = stream_reader_file(h->reader, t->session);
}

/* Numbers of transactions meet at the rank that number modulo ranks says. */
static void
add_number(struct home *h, const struct stream_txn *t)
{
    const uint64_t n = t->name.bits;
    byte_vec *box = &h->numbers[n % (uint64_t)h->exchange->ranks];
    vec_grow(box, sizeof n);
    memcpy(box->at + box->n - sizeof n, &n, sizeof n);
}

static void
take(struct home *h, const struct stream_txn *t)
{
    const struct atom initial = h->names.initial;
    if (t->number >> (RECORD_RANK - RECORD_NUMBER))
        set_odd(h, "too many transactions on one rank");
    if (t->is_flawed)
        set_odd(h, "a transaction did not see its own write");
    if (t->status == TXN_INDETERMINATE)
        set_odd(h, "a transaction of unknown outcome");
    note_session(h, t);
    if (initial.tag == ATOM_INT && (int64_t)t->name.bits >= 0)
        add_number(h, t);
    assert(t->number == h->txns.n);
    vec_push(&h->txns, ((struct home_txn){t->rank, t->status == TXN_COMMITTED
                                                       ? t->session
                                                       : HOME_NONE}));
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        // Which transactions record the loading of the database depends on what
        // other ranks have read of their sessions.
        if (op->is_write && atom_equal(stream_value(op), initial))
            set_odd(h, "the initial value is written");
        if (t->status == TXN_COMMITTED && op->is_main)
            add_record(h, t, op);
    }
}

static bool
read_all(struct home *h)
{
    struct stream_txn *t;
    h->reader = stream_reader_open(&h->source, &h->names, PENDING, &h->err);
    if (!h->reader)
        return false;
    do {
        if (!stream_reader_next(h->reader, &t, &h->err))
            return false;
        if (t)
            take(h, t);
        mem_free(t);
    } while (t);
    h->format = stream_reader_format(h->reader);
    h->sizes = *stream_reader_sizes(h->reader);
    h->has_times = stream_reader_has_times(h->reader);
    if (stream_reader_is_cut(h->reader) || stream_reader_is_late(h->reader))
        set_odd(h, "transactions may be missing");
    return true;
}

void
home_read(struct home *h)
{
    h->boxes = mem_calloc((size_t)h->exchange->ranks, sizeof *h->boxes);
    h->numbers = mem_calloc((size_t)h->exchange->ranks, sizeof *h->numbers);
    if (!read_all(h))
        set_odd(h, h->err.text);
}

/* --- texts -----------------------------------------------------------------*/

enum { WORD = 8 };

/* Add a length and that many bytes, in whole words. */
static void
put_text(byte_vec *box, const char *text, size_t n)
{
    const uint64_t length = n;
    const size_t room = sizeof length + (n + WORD - 1) / WORD * WORD;
    char *at;
    vec_grow(box, room);
    at = box->at + box->n - room;
    memset(at, 0, room);
    memcpy(at, &length, sizeof length);
    memcpy(at + sizeof length, text, n);
}

static struct string
take_text(const byte_vec *box, size_t *at)
{
    uint64_t length;
    memcpy(&length, box->at + *at, sizeof length);
    const struct string s = {box->at + *at + sizeof length, (size_t)length};
    *at += sizeof length + (s.len + WORD - 1) / WORD * WORD;
    assert(*at <= box->n);
    return s;
}

static size_t
rank_of_text(const struct home *h, struct string s)
{
    return hash_bytes(s.text, s.len) % (uint64_t)h->exchange->ranks;
}

/* The numbers of the texts that each rank has sent, in their order. */
static void
number_all(const struct home *h, const byte_vec *in, byte_vec *answers)
{
    struct strings all = {0};
    for (int r = 0; r < h->exchange->ranks; r++)
        for (size_t at = 0; at < in[r].n;) {
            const struct string s = take_text(&in[r], &at);
            const uint64_t id = strings_add(&all, s.text, s.len);
            vec_grow(&answers[r], sizeof id);
            memcpy(answers[r].at + answers[r].n - sizeof id, &id, sizeof id);
        }
    strings_free(&all);
}

/* Find the numbers of the texts of a pool. */
static bool
number_pool(struct home *h, const struct strings *pool, u64_vec *out,
            char why[EXCHANGE_TEXT])
{
    const size_t n = (size_t)h->exchange->ranks;
    byte_vec *boxes = mem_calloc(4 * n, sizeof *boxes);
    byte_vec *in = boxes + n, *answers = in + n, *numbers = answers + n;
    size_t *at = mem_calloc(n, sizeof *at);
    for (size_t i = 0; i < pool->all.n; i++) {
        const struct string s = strings_get(pool, (uint32_t)i);
        put_text(&boxes[rank_of_text(h, s)], s.text, s.len);
    }
    bool ok = exchange_boxes(h->exchange, boxes, WORD, in, why);
    if (ok) {
        number_all(h, in, answers);
        ok = exchange_boxes(h->exchange, answers, WORD, numbers, why);
    }
    for (size_t i = 0; ok && i < pool->all.n; i++) {
        const size_t r = rank_of_text(h, strings_get(pool, (uint32_t)i));
        uint64_t id;
        memcpy(&id, numbers[r].at + at[r], sizeof id);
        at[r] += sizeof id;
        vec_push(out, (uint64_t)r << 40 | id);
    }
    for (size_t i = 0; i < 4 * n; i++)
        vec_free(&boxes[i]);
    mem_free(boxes);
    mem_free(at);
    return ok;
}

static void
replace(struct home *h, const u64_vec *keys, const u64_vec *values)
{
    for (int r = 0; r < h->exchange->ranks; r++) {
        struct record *at = (struct record *)(void *)h->boxes[r].at;
        for (size_t n = h->boxes[r].n / sizeof *at; n--; at++) {
            if (record_key_tag(at) >= ATOM_STRING)
                at->key = keys->at[at->key];
            if (record_value_tag(at) >= ATOM_STRING)
                at->value = values->at[at->value];
        }
    }
}

bool
home_number_texts(struct home *h, char why[EXCHANGE_TEXT])
{
    const uint64_t n = h->names.texts.all.n + h->names.values.all.n;
    u64_vec keys = {0}, values = {0};
    if (!exchange_most(h->exchange, n))
        return true;
    const bool ok = number_pool(h, &h->names.texts, &keys, why) &&
                    number_pool(h, &h->names.values, &values, why);
    if (ok)
        replace(h, &keys, &values);
    vec_free(&keys);
    vec_free(&values);
    return ok;
}

/* --- sessions --------------------------------------------------------------*/

/* What is sent of a session: its name, its file and what is known of it. */
static void
put_session(const struct home *h, uint32_t i, byte_vec *out)
{
    const struct atom name = atoms_get(&h->names.sessions.all, i);
    struct buf text = {0};
    buf_printf(&text, "%u ", (unsigned)name.tag);
    if (atom_is_text(name)) {
        const struct string s =
            strings_get(&h->names.texts, (uint32_t)name.bits);
        buf_add(&text, s.text, s.len);
    } else {
        buf_u64(&text, name.bits);
    }
    put_text(out, text.at, text.n);
    const char *file = h->files.at[i] ? h->files.at[i] : "";
    put_text(out, file, strlen(file));
    put_text(out, (const char *)&h->sessions.at[i], sizeof h->sessions.at[i]);
    buf_free(&text);
}

/* The last part of a session so far. */
struct known_session {
    struct home_session at;
    struct string file;
};

/* Compare a session with what lower ranks have of it. */
static void
compare_session(struct home *h, struct string name, struct string file,
                const struct home_session *s, struct known_session *known)
{
    if (h->is_directory && h->err.kind == ERR_NONE) {
        err_set(&h->err, ERR_SYNTAX,
                "session %s is in %s as well; a session must be in one shard",
                name.text + 2, known->file.text);
        err_in_file(&h->err, file.text);
    }
    if (known->at.last_label > s->first_label)
        set_odd(h, "the order of a session is not the order of its times");
    if (s->least <= known->at.most)
        set_odd(h, "transactions of a session are not in order");
    known->at.last_label = s->last_label;
    if (s->most > known->at.most)
        known->at.most = s->most;
}

static uint64_t
compare_all(struct home *h, const byte_vec *in, size_t n)
{
    struct strings names = {0}, files = {0};
    VEC(struct known_session) known = {0};
    for (size_t r = 0; r < n; r++)
        for (size_t at = 0; at < in[r].n;) {
            const struct string name = take_text(&in[r], &at);
            const struct string file = take_text(&in[r], &at);
            const struct string bytes = take_text(&in[r], &at);
            struct home_session s;
            memcpy(&s, bytes.text, sizeof s);
            const uint32_t id = strings_add(&names, name.text, name.len);
            const uint32_t f = strings_add(&files, file.text, file.len);
            if (id < known.n)
                compare_session(h, strings_get(&names, id),
                                strings_get(&files, f), &s, &known.at[id]);
            else
                vec_push(&known,
                         ((struct known_session){s, strings_get(&files, f)}));
        }
    const uint64_t all = known.n;
    // Messages have copies of the texts.
    vec_free(&known);
    strings_free(&names);
    strings_free(&files);
    return all;
}

bool
home_check_sessions(struct home *h, uint64_t *n, char why[EXCHANGE_TEXT])
{
    const size_t ranks = (size_t)h->exchange->ranks;
    byte_vec *boxes = mem_calloc(2 * ranks, sizeof *boxes);
    byte_vec *in = boxes + ranks;
    for (uint32_t i = 0; i < h->sessions.n; i++)
        if (h->sessions.at[i].is_seen)
            put_session(h, i, &boxes[0]);
    const bool ok = exchange_boxes(h->exchange, boxes, WORD, in, why);
    uint64_t all = 0;
    if (ok && !h->exchange->rank)
        all = compare_all(h, in, ranks);
    if (ok)
        *n = exchange_from(h->exchange, 0, all);
    for (size_t i = 0; i < 2 * ranks; i++)
        vec_free(&boxes[i]);
    mem_free(boxes);
    return ok;
}

bool
home_check_numbers(struct home *h, char why[EXCHANGE_TEXT])
{
    const size_t ranks = (size_t)h->exchange->ranks;
    byte_vec *in = mem_calloc(ranks, sizeof *in);
    const bool ok = exchange_boxes(h->exchange, h->numbers, WORD, in, why);
    struct intmap known = {0};
    for (size_t r = 0; ok && r < ranks; r++)
        for (size_t at = 0; at < in[r].n; at += WORD) {
            uint64_t n;
            bool added;
            memcpy(&n, in[r].at + at, sizeof n);
            intmap_add(&known, n, 0, &added);
            if (!added)
                set_odd(h, "a number of a transaction occurs twice");
        }
    intmap_free(&known);
    for (size_t r = 0; r < ranks; r++)
        vec_free(&in[r]);
    mem_free(in);
    return ok;
}

bool
home_predecessors(const struct home *h, const u64_vec *ids, struct place *out)
{
    const uint64_t rank = (uint64_t)h->exchange->rank << RECORD_RANK;
    uint64_t *last = mem_calloc(h->sessions.n + 1, sizeof *last);
    size_t k = 0;
    bool ok = true;
    for (size_t i = 0; i < h->txns.n && k < ids->n; i++) {
        const uint32_t session = h->txns.at[i].session;
        const uint64_t id = rank | (uint64_t)i << RECORD_NUMBER;
        const bool asks = record_txn(ids->at[k]) == record_txn(id);
        assert(!asks || session != HOME_NONE);
        if (session == HOME_NONE)
            continue;
        const uint64_t before = last[session]; // its number + 1, or 0
        if (asks && before)
            out[k] = (struct place){h->txns.at[before - 1].label,
                                    rank | (before - 1) << RECORD_NUMBER |
                                        UINT64_C(1) << RECORD_KEY};
        else if (asks)
            ok &= h->is_directory || !rank;
        k += asks;
        last[session] = i + 1;
    }
    assert(k == ids->n);
    mem_free(last);
    return ok;
}

void
home_free(struct home *h)
{
    for (int r = 0; h->boxes && r < h->exchange->ranks; r++)
        vec_free(&h->boxes[r]);
    for (int r = 0; h->numbers && r < h->exchange->ranks; r++)
        vec_free(&h->numbers[r]);
    mem_free(h->boxes);
    mem_free(h->numbers);
    if (h->reader)
        stream_reader_close(h->reader);
    vec_free(&h->sessions);
    vec_free(&h->files);
    vec_free(&h->txns);
    names_free(&h->names);
}
