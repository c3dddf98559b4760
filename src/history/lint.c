/* lint.c -- see lint.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/lint.h"

#include "history/flaw_text.h"
#include "history/sessions.h"
#include "history/tested.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    SHARE = 10,    // a tenth of the transactions is conspicuous
    SESSIONS = 10, // sessions of one transaction each are, from this many on
    TABLES = 1000  // at most; the other keys count as keys without a table
};

// clang-format off
const struct lint_rule lint_rules[LINT_KINDS] = {
    [LINT_NO_WRITER] = {"no-writer", true,
        "The recorder probably misses writers: record every client, also scripts, triggers and other services."},
    [LINT_ABORTED_WRITER] = {"aborted-writer", true,
        "Record a transaction as aborted only if the database said so. After a timeout or a lost connection the outcome is unknown."},
    [LINT_SESSION_OVERLAP] = {"session-overlap", true,
        "A session is one client at a time. Name sessions by connection, and take the end time when the answer arrives."},
    [LINT_CLOCKS] = {"clocks", true,
        "The times come from clocks that differ. Use one clock, or omit the times; only strict-si and strict-ser need them."},
    [LINT_AFTER_UNKNOWN] = {"after-unknown", true,
        "The commit may take effect late. Begin a new session after each unknown outcome."},
    [LINT_NOTHING_TESTED] = {"nothing-tested", true,
        "Record operations with the transactions, and their outcomes."},
    [LINT_UNKNOWN_OUTCOMES] = {"unknown-outcomes", false,
        "Unknown outcomes weaken the test. Check that the recorder sees the answers to commits."},
    [LINT_EMPTY] = {"empty-transactions", false,
        "Check that the recorder keeps the operations of each transaction."},
    [LINT_SINGLE_SESSIONS] = {"single-sessions", false,
        "Session order is not tested. Record the connection as the session."},
    [LINT_REPEATED_VALUES] = {"repeated-values", false,
        "Repeated values hide violations and cost time. Write unique values where you can."},
    [LINT_NEVER_WRITTEN] = {"never-written", false,
        "If the application writes this table, the recorder misses its writes."},
    [LINT_NEVER_READ] = {"never-read", false,
        "Writes that no transaction reads cannot reveal an anomaly. Read the keys, at least once at the end."},
};
// clang-format on

/* --- findings -------------------------------------------------------------*/

static struct lint_finding *
add_finding(struct lint *out, enum lint_kind kind, uint64_t n)
{
    struct lint_finding f = {.kind = kind, .n = n};
    assert(n);
    vec_push(&out->findings, f);
    return &out->findings.at[out->findings.n - 1];
}

/* The place of the next example, or NULL where there are enough. */
static struct buf *
next_example(struct buf examples[LINT_EXAMPLES])
{
    for (size_t i = 0; i < LINT_EXAMPLES; i++)
        if (!examples[i].n)
            return &examples[i];
    return NULL;
}

static const char *
plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* --- tables ---------------------------------------------------------------*/

/* What happened to the keys of a table.  Flaws are those of missed_kinds. */
struct table_use {
    uint64_t reads, writes, keys;
    uint64_t flaws[2];
    struct buf examples[2][LINT_EXAMPLES];
};

static const enum flaw_kind missed_kinds[2] = {FLAW_THIN_AIR, FLAW_ABORTED};

/* The table of each key.  Keys whose first parts all differ have none. */
struct tables {
    struct strings names;
    uint32_t *of_key;
    VEC(struct table_use) uses; // by name
};

static void
find_tables(const struct history *h, struct tables *t)
{
    struct buf name = {0};
    *t = (struct tables){.of_key = mem_alloc(h->n_keys, sizeof(uint32_t))};
    for (key_id k = 0; k < h->n_keys; k++) {
        buf_clear(&name);
        history_show_key(h, k, &name);
        const size_t n = name.n ? strcspn(name.at, ":/(") : 0;
        const bool is_named = n < name.n && t->uses.n < TABLES;
        const uint32_t id =
            strings_add(&t->names, is_named ? name.at : "", is_named ? n : 0);
        if (id == t->uses.n)
            vec_push(&t->uses, ((struct table_use){0}));
        t->of_key[k] = id;
        t->uses.at[id].keys++;
    }
    buf_free(&name);
}

static void
free_tables(struct tables *t)
{
    for (size_t i = 0; i < t->uses.n; i++)
        for (size_t e = 0; e < LINT_EXAMPLES; e++) {
            buf_free(&t->uses.at[i].examples[0][e]);
            buf_free(&t->uses.at[i].examples[1][e]);
        }
    vec_free(&t->uses);
    strings_free(&t->names);
    mem_free(t->of_key);
}

static void
count_uses(const struct history *h, struct tables *t)
{
    for (op_id op = 0; op < h->n_ops; op++)
        if (!op_is_implied(h, op)) {
            struct table_use *u = &t->uses.at[t->of_key[op_key(h, op)]];
            *(op_is_write(h, op) ? &u->writes : &u->reads) += 1;
        }
}

static void
count_flaws(const struct history *h, struct tables *t)
{
    flaw_vec flaws = {0};
    history_flaws(h, SIZE_MAX, &flaws);
    history_lost_reads(h, SIZE_MAX, &flaws);
    for (size_t i = 0; i < flaws.n; i++) {
        const struct flaw *f = &flaws.at[i];
        struct table_use *u = &t->uses.at[t->of_key[op_key(h, f->op)]];
        if (f->kind != missed_kinds[0] && f->kind != missed_kinds[1])
            continue;
        const size_t kind = f->kind == missed_kinds[1];
        struct buf *example = next_example(u->examples[kind]);
        u->flaws[kind]++;
        if (example)
            flaw_tell(h, f, example);
    }
    vec_free(&flaws);
}

/* " of table wallet", where keys have tables. */
static void
add_table(const struct tables *t, uint32_t id, struct lint_finding *f)
{
    const struct string name = strings_get(&t->names, id);
    if (!name.len)
        return;
    buf_add(&f->table, name.text, name.len);
    buf_text(&f->text, " of table ");
    buf_shown(&f->text, name.text);
}

static void
add_flaws(struct tables *t, size_t flaw, enum lint_kind kind, const char *text,
          struct lint *out)
{
    const size_t first = out->findings.n;
    for (uint32_t i = 0; i < t->uses.n; i++) {
        const uint64_t n = t->uses.at[i].flaws[flaw];
        if (!n)
            continue;
        struct lint_finding *f = add_finding(out, kind, n);
        buf_printf(&f->text, "%" PRIu64 " read%s", n, plural(n));
        add_table(t, i, f);
        buf_text(&f->text, text);
        memcpy(f->examples, t->uses.at[i].examples[flaw], sizeof f->examples);
        memset(t->uses.at[i].examples[flaw], 0, sizeof f->examples);
        for (size_t j = out->findings.n - 1;
             j > first && out->findings.at[j - 1].n < n; j--) {
            const struct lint_finding later = out->findings.at[j];
            out->findings.at[j] = out->findings.at[j - 1];
            out->findings.at[j - 1] = later;
        }
    }
}

/* Tables that are only read, or only written. */
static void
add_one_sided(const struct tables *t, enum lint_kind kind, struct lint *out)
{
    const bool read_only = kind == LINT_NEVER_WRITTEN;
    for (uint32_t i = 0; i < t->uses.n; i++) {
        const struct table_use *u = &t->uses.at[i];
        if (read_only ? u->writes || !u->reads : u->reads || !u->writes)
            continue;
        struct lint_finding *f = add_finding(out, kind, u->keys);
        buf_printf(&f->text, "%" PRIu64 " key%s", u->keys, plural(u->keys));
        add_table(t, i, f);
        buf_printf(&f->text, " %s", u->keys == 1 ? "is " : "are ");
        buf_text(&f->text, read_only ? "read and never written"
                                     : "written and never read");
    }
}

/* --- transactions ---------------------------------------------------------*/

static void
show_pair(const struct history *h, txn_id a, const char *between, txn_id b,
          struct buf *out)
{
    if (!out)
        return;
    history_show_txn(h, a, out);
    buf_text(out, between);
    history_show_txn(h, b, out);
}

static void
find_session_overlaps(const struct history *h, struct lint *out)
{
    struct lint_finding f = {.kind = LINT_SESSION_OVERLAP};
    for (session_id s = 0; h->txn_began && s < h->n_sessions; s++)
        for (txn_id t = h->session_first[s] + 1; t < h->session_first[s + 1];
             t++)
            if (h->txn_status[t - 1] != TXN_INDETERMINATE &&
                h->txn_began[t] < h->txn_ended[t - 1]) {
                f.n++;
                show_pair(h, t, " began before the end of ", t - 1,
                          next_example(f.examples));
            }
    if (!f.n)
        return;
    buf_printf(&f.text,
               "%" PRIu64 " transaction%s before the one before "
               "in the same session ended",
               f.n, f.n == 1 ? " began" : "s began");
    vec_push(&out->findings, f);
}

/* Reads from transactions that began after the reader had ended. */
static void
find_clocks(const struct history *h, struct lint *out)
{
    struct lint_finding f = {.kind = LINT_CLOCKS};
    for (txn_id t = 0; h->txn_began && t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op) ||
                history_has_several(h, h->op_value[op]))
                continue;
            const txn_id w = history_writer(h, h->op_value[op]);
            if (w >= h->n_txns || h->txn_began[w] <= h->txn_ended[t])
                continue;
            f.n++;
            show_pair(h, t, " ended before the beginning of its writer ", w,
                      next_example(f.examples));
        }
    if (!f.n)
        return;
    buf_printf(&f.text,
               "%" PRIu64 " read%s of values whose writers began later", f.n,
               plural(f.n));
    vec_push(&out->findings, f);
}

static void
find_after_unknown(const struct history *h, struct lint *out)
{
    struct lint_finding f = {.kind = LINT_AFTER_UNKNOWN};
    for (session_id s = 0; s < h->n_sessions; s++) {
        if (!history_goes_on_after_unknown(h, s))
            continue;
        struct buf *example = next_example(f.examples);
        f.n++;
        if (example) {
            buf_text(example, "session ");
            history_show_session(h, s, example);
        }
    }
    if (!f.n)
        return;
    buf_printf(&f.text,
               "%" PRIu64 " session%s after a write of unknown outcome", f.n,
               f.n == 1 ? " goes on" : "s go on");
    vec_push(&out->findings, f);
}

/* What the counts of a history show by themselves. */
static void
find_counts(const struct history *h, struct lint *out)
{
    uint64_t unknown = 0, empty = 0, ambiguous = 0, reads = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        unknown += h->txn_status[t] == TXN_INDETERMINATE;
        empty += h->txn_status[t] == TXN_COMMITTED &&
                 h->txn_begin[t] == h->txn_end[t];
    }
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_external_read(h, op)) {
            reads++;
            ambiguous += history_has_several(h, h->op_value[op]);
        }
    if (!history_is_tested(h))
        buf_text(&add_finding(out, LINT_NOTHING_TESTED, 1)->text,
                 "no committed transaction has an operation");
    if (unknown * SHARE > h->n_txns)
        buf_printf(&add_finding(out, LINT_UNKNOWN_OUTCOMES, unknown)->text,
                   "the outcome of %" PRIu64 " of %" PRIu32
                   " transactions is unknown",
                   unknown, h->n_txns);
    if (empty * SHARE > h->n_txns)
        buf_printf(&add_finding(out, LINT_EMPTY, empty)->text,
                   "%" PRIu64 " of %" PRIu32
                   " transactions committed without an operation",
                   empty, h->n_txns);
    if (h->n_sessions >= SESSIONS && h->n_sessions == h->n_txns)
        buf_printf(&add_finding(out, LINT_SINGLE_SESSIONS, h->n_txns)->text,
                   "each of the %" PRIu32 " sessions has one transaction",
                   h->n_sessions);
    if (ambiguous)
        buf_printf(&add_finding(out, LINT_REPEATED_VALUES, ambiguous)->text,
                   "several writers are possible for %" PRIu64 " of %" PRIu64
                   " reads",
                   ambiguous, reads);
}

void
lint_history(const struct history *h, struct lint *out)
{
    struct tables tables;
    *out = (struct lint){0};
    find_tables(h, &tables);
    count_uses(h, &tables);
    count_flaws(h, &tables);
    add_flaws(&tables, 0, LINT_NO_WRITER,
              " returned a value that no transaction wrote", out);
    add_flaws(&tables, 1, LINT_ABORTED_WRITER,
              " returned a value that only aborted transactions wrote", out);
    find_session_overlaps(h, out);
    find_clocks(h, out);
    find_after_unknown(h, out);
    find_counts(h, out);
    add_one_sided(&tables, LINT_NEVER_WRITTEN, out);
    add_one_sided(&tables, LINT_NEVER_READ, out);
    free_tables(&tables);
}

void
lint_free(struct lint *l)
{
    for (size_t i = 0; i < l->findings.n; i++) {
        buf_free(&l->findings.at[i].text);
        buf_free(&l->findings.at[i].table);
        for (size_t e = 0; e < LINT_EXAMPLES; e++)
            buf_free(&l->findings.at[i].examples[e]);
    }
    vec_free(&l->findings);
}
