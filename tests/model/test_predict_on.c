/* test_predict_on.c -- predictions for databases agree with brute force: all
 * interleavings of the statements of random transactions on two rows.
 *
 *     test_model_predict_on [COUNT [SEED]]
 *
 * Registers of a row: its version, whether it exists, whether it satisfies
 * v >= 1.  What the definition in doc/levels.md says about statements and locks
 * is written down here once more, as a program that runs them.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "format/format.h"
#include "format/readers.h"
#include "history/builder/builder.h"
#include "predict/predict.h"
#include "predict/predict_input.h"
#include "range.h"
#include "test.h"

enum { ROWS = 2, TXNS = 4, STATEMENTS = 3, REGS = 3 * ROWS, NOBODY = -1 };
enum { VERSION, EXISTS, MATCHES };

struct touch { // a read of a register
    int reg, writer, statement;
    bool is_fixed;
    bool is_late; // MariaDB: it locks, so it sees what is committed
};

struct held { // a lock
    int row, statement, mode;
};

struct act {
    struct touch reads[STATEMENTS * 8];
    struct held locks[STATEMENTS * 4];
    int n_reads, n_locks, n_statements;
    bool writes[REGS];
};

struct cell {
    bool is_there;
    int value, version;
};

struct random_trace {
    struct act acts[TXNS];
    int n;
    struct cell rows[ROWS], first[ROWS];
    bool ever_matches[ROWS];
    int last[REGS]; // who wrote it
    int versions;
    struct buf text;
};

static uint64_t count = 300, first_seed = 1, asked, predicted;

/* --- a random trace --------------------------------------------------------
 */

static const char *const locks[] = {"", "key share", "share", "no key update",
                                    "update"};

static void
add_read(struct random_trace *t, struct act *a, int row, int about, bool fixed,
         bool late)
{
    if (!a->writes[3 * row + VERSION])
        a->reads[a->n_reads++] =
            (struct touch){3 * row + about, t->last[3 * row + about],
                           a->n_statements, fixed, late};
}

static void
add_lock(struct act *a, int row, int mode)
{
    if (mode)
        a->locks[a->n_locks++] = (struct held){row, a->n_statements, mode};
}

static void
put_mark(struct random_trace *t, struct act *a, int lock)
{
    buf_printf(&t->text, "%s[\"statement\",%d", a->n_statements ? "," : "",
               a->n_statements + 1);
    if (lock)
        buf_printf(&t->text, ",\"%s\"", locks[lock]);
    buf_text(&t->text, "]");
}

static void
put_found(struct random_trace *t, int row)
{
    buf_printf(&t->text, "[\"t\",%d],{\"v\":%d},{\"ver\":%d}", row,
               t->rows[row].value, t->rows[row].version);
}

static void
select_one(struct random_trace *t, struct act *a, int row, int lock)
{
    const bool is_there = t->rows[row].is_there;
    put_mark(t, a, is_there ? lock : 0);
    buf_text(&t->text, ",[\"r\",");
    if (is_there)
        put_found(t, row);
    else
        buf_printf(&t->text, "[\"t\",%d]", row);
    buf_text(&t->text, "]");
    add_read(t, a, row, is_there ? VERSION : EXISTS, false, is_there && lock);
    add_lock(a, row, is_there ? lock : 0);
}

static void
query(struct random_trace *t, struct act *a)
{
    bool any = false;
    put_mark(t, a, 0);
    buf_text(&t->text, ",[\"q\",{\"table\":\"t\",\"where\":\"v >= 1\"},[");
    for (int row = 0; row < ROWS; row++) {
        const bool is_found = t->rows[row].is_there && t->rows[row].value >= 1;
        if (is_found) {
            buf_text(&t->text, any ? ",[" : "[");
            put_found(t, row);
            buf_text(&t->text, "]");
        }
        any |= is_found;
        if (is_found || t->ever_matches[row])
            add_read(t, a, row, is_found ? VERSION : MATCHES, false, false);
    }
    buf_text(&t->text, "]]");
}

/* Change a row: the new state, from the state before the transaction in
 * 'before', where this is its first write of the row. */
static void
change(struct random_trace *t, struct act *a, int row, struct cell to,
       const char *name, struct random *rand)
{
    const int lock = *name == 'u' ? 3 : 4;
    put_mark(t, a, lock);
    if (*name == 'i') {
        buf_printf(&t->text, ",[\"r\",[\"t\",%d],null,{\"check\":true}]", row);
        add_read(t, a, row, EXISTS, true, true);
    } else if (random_below(rand, 2)) {
        buf_text(&t->text, ",[\"r\",");
        put_found(t, row);
        buf_text(&t->text, "]");
        add_read(t, a, row, VERSION, false, true);
    }
    add_read(t, a, row, EXISTS, true, true);
    add_lock(a, row, lock);
    a->writes[3 * row + VERSION] = true;
    t->rows[row] = to;
    buf_printf(&t->text, ",[\"%s\",", name);
    if (to.is_there)
        put_found(t, row);
    else
        buf_printf(&t->text, "[\"t\",%d]", row);
    buf_text(&t->text, "]");
}

static void
statement(struct random_trace *t, struct act *a, struct random *rand)
{
    const int row = (int)random_below(rand, ROWS);
    struct cell *now = &t->rows[row];
    const struct cell to = {true, (int)random_below(rand, 3), t->versions + 1};
    switch (random_below(rand, 8)) {
    case 0:
    case 1:
        select_one(t, a, row, 0);
        break;
    case 2:
        select_one(t, a, row, (int)random_below(rand, 5));
        break;
    case 3:
        query(t, a);
        break;
    default:
        t->versions++;
        if (!now->is_there)
            change(t, a, row, to, "i", rand);
        else if (random_below(rand, 4))
            change(t, a, row, to, "u", rand);
        else
            change(t, a, row, (struct cell){0}, "d", rand);
    }
    a->n_statements++;
}

static bool
matches(struct cell c)
{
    return c.is_there && c.value >= 1;
}

/* One pass; the first one finds which rows ever match. */
static void
make_trace(struct random_trace *t, uint64_t seed)
{
    struct random rand;
    random_seed(&rand, seed);
    buf_clear(&t->text);
    t->versions = 0;
    t->n = 2 + (int)random_below(&rand, 3);
    const int most = t->n == TXNS ? 2 : STATEMENTS;
    buf_text(&t->text, "{\"initial\":{\"rows\":[");
    for (int row = 0; row < ROWS; row++) {
        t->rows[row] = (struct cell){0};
        if (random_below(&rand, 4))
            t->rows[row] =
                (struct cell){true, (int)random_below(&rand, 3), ++t->versions};
        if (row)
            buf_text(&t->text, ",");
        buf_text(&t->text, "[");
        if (t->rows[row].is_there)
            put_found(t, row);
        else
            buf_printf(&t->text, "[\"t\",%d]", row);
        buf_text(&t->text, "]");
        t->ever_matches[row] |= matches(t->rows[row]);
    }
    buf_text(&t->text, "]}}\n");
    for (int i = 0; i < REGS; i++)
        t->last[i] = NOBODY;
    for (int i = 0; i < t->n; i++) {
        struct act *a = &t->acts[i];
        const int n = 1 + (int)random_below(&rand, (uint64_t)most);
        struct cell before[ROWS];
        memcpy(before, t->rows, sizeof before);
        *a = (struct act){0};
        buf_text(&t->text, "{\"session\":1,\"ops\":[");
        while (a->n_statements < n) {
            statement(t, a, &rand);
            for (int row = 0; row < ROWS; row++)
                t->ever_matches[row] |= matches(t->rows[row]);
        }
        buf_text(&t->text, "]}\n");
        for (int row = 0; row < ROWS; row++) {
            if (!a->writes[3 * row + VERSION])
                continue;
            a->writes[3 * row + EXISTS] =
                before[row].is_there != t->rows[row].is_there;
            a->writes[3 * row + MATCHES] =
                matches(before[row]) != matches(t->rows[row]);
            for (int k = 0; k < 3; k++)
                if (a->writes[3 * row + k])
                    t->last[3 * row + k] = i;
        }
    }
}

/* --- brute force -----------------------------------------------------------
 */

enum { OUT, BASE, BOUNDARY };

struct brute {
    const struct random_trace *t;
    bool one_snapshot;
    bool late_locks;
    int role[TXNS];
    int next[TXNS], commit[TXNS], snapshot[TXNS]; // commit: its number, or 0
    int commits;
    int seen[TXNS][STATEMENTS * 8]; // writers, by read
    bool found;
};

/* Who wrote a register last at commit 'at' or before. */
static int
writer_at(const struct brute *b, int reg, int at)
{
    int who = NOBODY, number = 0;
    for (int i = 0; i < b->t->n; i++)
        if (b->role[i] && b->t->acts[i].writes[reg] && b->commit[i] > number &&
            b->commit[i] <= at) {
            who = i;
            number = b->commit[i];
        }
    return who;
}

/* PostgreSQL's table of row locks. */
static bool
conflict(int a, int b)
{
    static const bool table[5][5] = {{0, 0, 0, 0, 0},
                                     {0, 0, 0, 0, 1},
                                     {0, 0, 0, 1, 1},
                                     {0, 0, 1, 1, 1},
                                     {0, 1, 1, 1, 1}};
    return table[a][b];
}

static bool
may_lock(const struct brute *b, int i, const struct held *l)
{
    for (int j = 0; j < b->t->n; j++) {
        const struct act *a = &b->t->acts[j];
        if (j == i || !b->role[j])
            continue;
        if (b->commit[j]) {
            if (b->one_snapshot && !b->late_locks &&
                a->writes[3 * l->row + VERSION] &&
                b->commit[j] > b->snapshot[i])
                return false;
            continue;
        }
        for (int k = 0; k < a->n_locks; k++)
            if (a->locks[k].row == l->row &&
                a->locks[k].statement < b->next[j] &&
                conflict(a->locks[k].mode, l->mode))
                return false;
    }
    return true;
}

/* Whether statement s of i can take place now; its reads are noted. */
static bool
step(struct brute *b, int i, int s)
{
    const struct act *a = &b->t->acts[i];
    for (int k = 0; k < a->n_locks; k++)
        if (a->locks[k].statement == s && !may_lock(b, i, &a->locks[k]))
            return false;
    for (int r = 0; r < a->n_reads; r++) {
        if (a->reads[r].statement != s)
            continue;
        const bool is_old =
            b->one_snapshot && !(b->late_locks && a->reads[r].is_late);
        const int w =
            writer_at(b, a->reads[r].reg, is_old ? b->snapshot[i] : b->commits);
        if ((b->role[i] == BASE || a->reads[r].is_fixed) &&
            w != a->reads[r].writer)
            return false;
        if (w != NOBODY && b->role[w] != BASE)
            return false;
        b->seen[i][r] = w;
    }
    return true;
}

/* Whether some order of the transactions that are not in 'done' explains all
 * reads; last[reg] is who wrote it so far. */
static bool
is_serial(const struct brute *b, unsigned done, const int *last)
{
    bool all = true;
    for (int i = 0; i < b->t->n; i++) {
        const struct act *a = &b->t->acts[i];
        if (!b->role[i] || done >> i & 1)
            continue;
        all = false;
        bool fits = true;
        for (int r = 0; fits && r < a->n_reads; r++)
            fits = last[a->reads[r].reg] == b->seen[i][r];
        if (!fits)
            continue;
        int after[REGS];
        for (int k = 0; k < REGS; k++)
            after[k] = a->writes[k] ? i : last[k];
        if (is_serial(b, done | 1u << i, after))
            return true;
    }
    return all;
}

static void
judge(struct brute *b)
{
    int last[REGS];
    for (int i = 0; i < b->t->n; i++) {
        bool changed = b->role[i] != BOUNDARY;
        for (int r = 0; r < b->t->acts[i].n_reads; r++)
            changed |= b->seen[i][r] != b->t->acts[i].reads[r].writer;
        if (!changed)
            return;
    }
    for (int k = 0; k < REGS; k++)
        last[k] = NOBODY;
    b->found = !is_serial(b, 0, last);
}

/* Whether statement s of i takes the snapshot: the first one; with late locks
 * the first that reads without a lock. */
static bool
takes_snapshot(const struct brute *b, int i, int s)
{
    const struct act *a = &b->t->acts[i];
    int first = 0;
    for (int r = a->n_reads; b->late_locks && r-- > 0;)
        if (!a->reads[r].is_late)
            first = a->reads[r].statement;
    return s == first;
}

static void
interleave(struct brute *b)
{
    bool all = true;
    for (int i = 0; i < b->t->n && !b->found; i++) {
        const int s = b->next[i];
        if (!b->role[i] || b->commit[i])
            continue;
        all = false;
        if (s == b->t->acts[i].n_statements) {
            b->commit[i] = ++b->commits;
            interleave(b);
            b->commit[i] = 0;
            b->commits--;
            continue;
        }
        if (takes_snapshot(b, i, s))
            b->snapshot[i] = b->commits;
        if (!step(b, i, s))
            continue;
        b->next[i]++;
        interleave(b);
        b->next[i]--;
    }
    if (all && !b->found)
        judge(b);
}

static bool
is_base_closed(const struct brute *b)
{
    for (int i = 0; i < b->t->n; i++)
        for (int r = 0; r < b->t->acts[i].n_reads; r++) {
            const struct touch *x = &b->t->acts[i].reads[r];
            if ((b->role[i] == BASE || (b->role[i] && x->is_fixed)) &&
                x->writer != NOBODY && b->role[x->writer] != BASE)
                return false;
        }
    return true;
}

static bool
brute(const struct random_trace *t, bool one_snapshot, bool late_locks)
{
    int total = 1;
    for (int i = 0; i < t->n; i++)
        total *= 3;
    for (int code = 0; code < total; code++) {
        struct brute b = {
            .t = t, .one_snapshot = one_snapshot, .late_locks = late_locks};
        bool some = false;
        for (int i = 0, c = code; i < t->n; i++, c /= 3) {
            b.role[i] = c % 3;
            some |= b.role[i] == BOUNDARY;
        }
        if (!some || !is_base_closed(&b))
            continue;
        interleave(&b);
        if (b.found)
            return true;
    }
    return false;
}

/* --- the comparison --------------------------------------------------------
 */

static bool
read_lines(const struct buf *text, struct history *h, struct err *err)
{
    struct input in = {.name = "trace", .data = text->at, .size = text->n};
    struct builder *b = builder_new(atom_nil());
    if (!format_jsonl.read(&in, b, err)) {
        builder_free(b);
        return false;
    }
    return builder_finish(b, h, err);
}

static void
compare(uint64_t seed)
{
    static const char *const names[] = {"postgresql:rc", "postgresql:rr",
                                        "mariadb:rr"};
    struct random_trace t = {.n = 0};
    struct history h;
    struct err err = {0};
    make_trace(&t, seed);
    make_trace(&t, seed); // it knows now which rows ever match
    const struct predict_input how = {
        .each_alone = true, .with_locks = true, .threads = 1};
    const bool is_read =
        read_lines(&t.text, &h, &err) && predict_input_prepare(&h, &how, &err);
    CHECK(is_read);
    if (count == 1 || !is_read)
        printf("# seed %llu: %s\n%s", (unsigned long long)seed, err.text,
               t.text.at);
    for (int i = 0; is_read && i < 3; i++) {
        const struct predict_options options = {
            .level = LEVEL_RC, .on = database_level_find(names[i])};
        struct prediction p;
        const bool expected = brute(&t, i > 0, i > 1);
        const bool ok = predict(&h, &options, &p, &err);
        CHECK(ok);
        if (!ok)
            continue;
        const bool agrees =
            (p.is_untested && !expected) ||
            p.answer == (expected ? PREDICT_FOUND : PREDICT_NONE);
        CHECK(agrees);
        if (!agrees)
            printf("# seed %llu, %s: expected %d\n", (unsigned long long)seed,
                   names[i], expected);
        asked++;
        predicted += expected;
        prediction_free(&p);
    }
    if (is_read)
        history_free(&h);
    buf_free(&t.text);
}

static void
predictions_for_databases_agree_with_brute_force(void)
{
    for (uint64_t i = 0; i < count; i++)
        compare(first_seed + i);
    printf("# %llu of %llu questions have a prediction\n",
           (unsigned long long)predicted, (unsigned long long)asked);
    CHECK(count < 100 || predicted > asked / 50);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &count, &first_seed);
    RUN(predictions_for_databases_agree_with_brute_force);
    return test_end();
}
