/* pair.c -- see pair.h.
 *
 * The sessions wait actively for a moment, so that both go on at the same time,
 * and then let others run.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/pair.h"

#include "base/limits/limit.h"
#include "driver/sql/sql.h"

#include <assert.h>
#include <sched.h>

enum { SPINS = 2000, YIELDS = 20000 };
#define MOMENT 0.0002 // seconds

void
pair_meet(struct pair *p, uint64_t round, const atomic_bool *stop)
{
    assert(round > 0);
    atomic_fetch_add(&p->arrivals, 1);
    for (uint64_t n = 0; atomic_load(&p->arrivals) < 2 * round &&
                         !atomic_load(&p->is_over) && !atomic_load(stop);
         n++) {
        if (n > YIELDS)
            time_pause(MOMENT);
        else if (n > SPINS)
            sched_yield();
    }
}

void
pair_leave(struct pair *p)
{
    atomic_store(&p->is_over, true);
}

enum outcome
pair_take_snapshot(struct connection *c, const char *table, bool is_read_only)
{
    const struct dialect *dialect = c->driver->sql;
    if (!dialect || !c->driver->query)
        return OUTCOME_OK;
    if (is_read_only && dialect->snapshot_read_only)
        return c->driver->query(c, dialect->snapshot_read_only, NULL);
    if (dialect->snapshot)
        return c->driver->query(c, dialect->snapshot, NULL);
    struct buf sql = {0};
    buf_printf(&sql, "select assay_key from assay_%s where assay_key = -1",
               table);
    const enum outcome outcome = c->driver->query(c, sql.at, NULL);
    buf_free(&sql);
    return outcome;
}
