/* test_roundtrip.c -- what a format holds it gives back.
 *
 * Random histories of many kinds: every format that says it holds one writes
 * it, the file is recognised for what it is, and reading it gives the same
 * history, up to what the format documents to lose.  SEED in the environment
 * makes other histories.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "format/survive.h"
#include "test.h"

enum { HISTORIES = 3000 };

/* Names of all sorts, with everything in them that a format could trip over. */
static const char *const TEXTS[] = {
    "x",
    "y1",
    "a b",
    "",
    "7",
    "-7",
    "0",
    "?",
    "nil",
    "null",
    "\"",
    "\\",
    "]",
    "[",
    "a]b",
    "] Txn(",
    "x:=1",
    "//",
    "---",
    "{}",
    "a,b",
    "\n",
    "\t\r",
    "\x01",
    "caf\xc3\xa9",
    "true",
    "1.5",
    "a/b",
    "12345678901234567890123",
};

/* What kind of history to make. */
struct kind {
    bool initial_is_zero, has_lists, has_names, has_times, is_scattered;
    bool integers_only, unsigned_only, all_committed, unique;
    unsigned n_sessions, n_txns, n_keys;
    uint64_t next_value;
};

static bool
chance(struct random *r, unsigned percent)
{
    return random_below(r, 100) < percent;
}

static void
random_kind(struct random *r, struct kind *k)
{
    *k = (struct kind){.next_value = 1};
    k->integers_only = chance(r, 60);
    k->unsigned_only = k->integers_only && chance(r, 70);
    k->all_committed = chance(r, 50);
    k->unique = chance(r, 50);
    k->has_lists = !k->unsigned_only && chance(r, 40);
    k->initial_is_zero = k->unsigned_only && chance(r, 50);
    k->has_names = chance(r, 30);
    k->has_times = chance(r, 30);
    k->is_scattered = chance(r, 20);
    k->n_sessions = 1 + (unsigned)random_below(r, 4);
    k->n_txns = (unsigned)random_below(r, 12);
    k->n_keys = 1 + (unsigned)random_below(r, 5);
}

static struct atom
random_atom(struct random *r, struct builder *b, const struct kind *k)
{
    static const uint64_t corners[] = {1,          2,         255,
                                       UINT32_MAX, INT64_MAX, UINT64_MAX};
    if (k->unsigned_only || chance(r, 50))
        return chance(r, 80) ? atom_uint(1 + random_below(r, 50))
                             : atom_uint(corners[random_below(r, 6)]);
    if (k->integers_only || chance(r, 30))
        return chance(r, 10) ? atom_int(INT64_MIN)
                             : atom_int((int64_t)random_below(r, 9) - 4);
    const char *text = TEXTS[random_below(r, sizeof TEXTS / sizeof *TEXTS)];
    const bool keyword = chance(r, 20) && text[0] >= 'x' && text[0] <= 'y';
    return builder_text(b, keyword ? ATOM_KEYWORD : ATOM_STRING, text,
                        strlen(text));
}

/* The keys of a history and what was written to them so far. */
struct store {
    struct atom key[8];
    bool is_list[8];
    struct {
        struct atom at[64];
        size_t n;
    } written[8];
};

static void
random_store(struct random *r, struct builder *b, const struct kind *k,
             struct store *s)
{
    *s = (struct store){0};
    for (unsigned i = 0; i < k->n_keys; i++) {
        bool fresh;
        do {
            s->key[i] = random_atom(r, b, k);
            fresh = true;
            for (unsigned j = 0; j < i; j++)
                fresh = fresh && !atom_equal(s->key[i], s->key[j]);
        } while (!fresh);
        s->is_list[i] = k->has_lists && chance(r, 50);
    }
}

static struct atom
value_to_write(struct random *r, struct builder *b, struct kind *k,
               bool is_list)
{
    if (k->unique)
        return atom_uint(k->next_value++ + 1000);
    return !is_list && chance(r, 5) ? atom_nil() : random_atom(r, b, k);
}

static bool
add_op(struct random *r, struct builder *b, struct kind *k, struct store *s,
       txn_id t, struct err *err)
{
    const size_t i = random_below(r, k->n_keys);
    const size_t n = s->written[i].n;
    if (chance(r, 50) && n < 64) {
        const struct atom value = value_to_write(r, b, k, s->is_list[i]);
        if (value.tag != ATOM_NIL)
            s->written[i].at[s->written[i].n++] = value;
        return s->is_list[i] ? builder_append(b, t, s->key[i], value, err)
                             : builder_write(b, t, s->key[i], value, err);
    }
    if (s->is_list[i])
        return builder_read_list(b, t, s->key[i], s->written[i].at,
                                 random_below(r, n + 1), err);
    const struct atom seen = chance(r, 5) ? random_atom(r, b, k)
                             : n && chance(r, 80)
                                 ? s->written[i].at[random_below(r, n)]
                                 : atom_nil();
    return builder_read(b, t, s->key[i], seen, err);
}

static void
add_outcome(struct random *r, struct builder *b, const struct kind *k, txn_id t)
{
    const int64_t began = (int64_t)t * 10 + (int64_t)random_below(r, 5);
    const int64_t ended = began + (int64_t)random_below(r, 9);
    const bool open = !k->all_committed && chance(r, 15);
    if (open)
        builder_status(b, t, TXN_INDETERMINATE);
    else if (!k->all_committed && chance(r, 15))
        builder_status(b, t, TXN_ABORTED);
    if (k->has_names && chance(r, 90))
        builder_name(b, t,
                     chance(r, 50) ? atom_int((int64_t)t + 100)
                                   : random_atom(r, b, k));
    if (k->has_times && chance(r, 90))
        builder_times(b, t, began, open ? INT64_MAX : ended);
}

/* Sessions begin in their order, so that it is known where names are lost. */
static void
random_history(struct random *r, struct history *h)
{
    struct kind k;
    struct store store;
    struct err err = {0};
    random_kind(r, &k);
    struct builder *b =
        builder_new(k.initial_is_zero ? atom_int(0) : atom_nil());
    random_store(r, b, &k, &store);
    txn_id last = TXN_NONE, before = TXN_NONE;
    bool ok = true;
    for (unsigned i = 0; i < k.n_txns; i++) {
        const uint64_t s = i < k.n_sessions ? i : random_below(r, k.n_sessions);
        ok = ok &&
             builder_txn(b, builder_session(b, atom_uint(s + 1)), &last, &err);
        for (uint64_t n = random_below(r, 6); ok && n; n--)
            ok = add_op(r, b, &k, &store,
                        k.is_scattered && before != TXN_NONE && chance(r, 30)
                            ? before
                            : last,
                        &err);
        add_outcome(r, b, &k, last);
        before = last;
    }
    if (chance(r, 5))
        builder_session(b, random_atom(r, b, &k));
    if (!ok || !builder_finish(b, h, &err)) {
        printf("# %s\n", err.text);
        abort();
    }
}

static void
what_a_format_holds_it_gives_back(void)
{
    struct random r;
    struct scratch scratch;
    size_t held[16] = {0};
    const char *seed = getenv("SEED");
    random_seed(&r, seed ? strtoull(seed, NULL, 10) : 2026);
    scratch_init(&scratch);
    for (int i = 0; i < HISTORIES && test_ok; i++) {
        struct history h;
        random_history(&r, &h);
        for (size_t f = 0; format_table[f] && h.n_txns; f++) {
            const struct format *format = format_table[f];
            struct err err = {0};
            char path[512];
            if (!format->write || !format->holds(&h, &err))
                continue;
            held[f]++;
            scratch_path(&scratch, format->name, path, sizeof path);
            CHECK(survives(&h, format, path));
            remove_path(path, 1);
        }
        history_free(&h);
    }
    for (size_t f = 0; format_table[f]; f++)
        if (format_table[f]->write) {
            printf("# %s held %zu of %d\n", format_table[f]->name, held[f],
                   HISTORIES);
            CHECK(!test_ok || held[f] >= HISTORIES / 30);
        }
    scratch_free(&scratch);
}

int
main(void)
{
    RUN(what_a_format_holds_it_gives_back);
    return test_end();
}
