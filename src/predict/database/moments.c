/* moments.c -- the moments of an execution, and its locks; see
 * database_level.h.
 *
 * Each operation of an unknown statement is taken for one statement, and a
 * transaction of an unknown level for one at READ COMMITTED.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/database/database_level.h"

#include <stdlib.h>

/* The row that a key is a register of. */
static key_id
row_of(const struct history *h, key_id k)
{
    return history_key_is_row(h, k) ? h->key_rows[k].row : k;
}

static void
add_lock(struct moments *m, key_id row, uint32_t t, uint32_t point,
         enum row_lock mode, bool writes)
{
    if (mode != ROW_LOCK_NONE)
        vec_push(&m->locks,
                 ((struct moment_lock){row, t, point, mode, writes}));
}

/* Add the operations of t, which are those of reads and writes. */
static void
take_txn(struct moments *m, uint32_t t, u32_vec *statements)
{
    const struct observed *o = m->o;
    const struct history *h = o->h;
    uint32_t r = o->read_first[t], w = o->write_first[t], now = 0;
    m->first[t] = m->n;
    while (r < o->read_first[t + 1] || w < o->write_first[t + 1]) {
        const bool is_read = r < o->read_first[t + 1] &&
                             (w == o->write_first[t + 1] ||
                              o->reads.at[r].op < o->writes.at[w].op);
        const op_id op = is_read ? o->reads.at[r].op : o->writes.at[w].op;
        const uint32_t statement = op_statement(h, op);
        if (!statement)
            m->is_unknown[t] = 1;
        if (!statement || statement != now || m->n == m->first[t]) {
            vec_push(statements, statement);
            m->n++;
        }
        now = statement;
        const uint32_t point = m->n - 1;
        const key_id row = row_of(h, op_key(h, op));
        if (is_read) {
            m->of_read[r++] = point;
            add_lock(m, row, t, point, op_lock(h, op), false);
        } else {
            const enum row_lock lock = op_lock(h, op);
            w++;
            add_lock(m, row, t, point,
                     lock < ROW_LOCK_NO_KEY_UPDATE ? ROW_LOCK_UPDATE : lock,
                     true);
        }
    }
    vec_push(statements, 0);
    m->n++; // the commit
}

static int
compare_locks(const void *a, const void *b)
{
    const struct moment_lock *x = a, *y = b;
    return x->row != y->row   ? (x->row < y->row ? -1 : 1)
           : x->txn != y->txn ? (x->txn < y->txn ? -1 : 1)
                              : (x->point > y->point) - (x->point < y->point);
}

/* Whether a read sees what is committed, although others see the snapshot. */
static bool
is_late(const struct moments *m, uint32_t r)
{
    const op_id op = m->o->reads.at[r].op;
    return m->late_locks &&
           (op_lock(m->o->h, op) != ROW_LOCK_NONE || op_is_fixed(m->o->h, op));
}

uint32_t
moments_snapshot(const struct moments *m, uint32_t r)
{
    const uint32_t t = m->o->reads.at[r].txn;
    return m->one_snapshot[t] && !is_late(m, r) ? m->snapshot[t]
                                                : m->of_read[r];
}

static void
find_snapshot(struct moments *m, uint32_t t, const struct database_level *on)
{
    const struct observed *o = m->o;
    m->one_snapshot[t] = on->as_recorded ? isolation_recorded(o->h, o->id[t]) >=
                                               ISOLATION_RECORDED_SNAPSHOT
                                         : on->one_snapshot;
    m->snapshot[t] = m->first[t];
    for (uint32_t r = o->read_first[t];
         m->late_locks && r < o->read_first[t + 1]; r++)
        if (!is_late(m, r)) {
            m->snapshot[t] = m->of_read[r];
            break;
        }
}

void
moments_init(struct moments *m, const struct observed *o,
             const struct database_level *on)
{
    u32_vec statements = {0};
    *m = (struct moments){.o = o, .late_locks = on->late_locks};
    m->first = mem_alloc(o->n + 1, sizeof *m->first);
    m->of_read = mem_alloc(o->reads.n + 1, sizeof *m->of_read);
    m->is_unknown = mem_calloc(o->n + 1, 1);
    m->one_snapshot = mem_calloc(o->n + 1, 1);
    m->snapshot = mem_alloc(o->n + 1, sizeof *m->snapshot);
    for (uint32_t t = 0; t < o->n; t++)
        take_txn(m, t, &statements);
    m->first[o->n] = m->n;
    m->statement = statements.at;
    for (uint32_t t = 0; t < o->n; t++)
        find_snapshot(m, t, on);
    if (m->locks.n)
        qsort(m->locks.at, m->locks.n, sizeof *m->locks.at, compare_locks);
}

void
moments_free(struct moments *m)
{
    mem_free(m->first);
    mem_free(m->of_read);
    mem_free(m->statement);
    mem_free(m->is_unknown);
    mem_free(m->one_snapshot);
    mem_free(m->snapshot);
    vec_free(&m->locks);
}
