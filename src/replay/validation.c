/* validation.c -- see validation.h.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/validation.h"

#include "replay/database.h"

#include <stdio.h>
#include <string.h>

unsigned
validation_accept(void *self, const struct execution *x)
{
    const struct validation *v = self;
    struct replay replay;
    struct err err = {0};
    if (!replay_run(x, &v->program, v->level, &replay, &err))
        return 0;
    const bool shown = replay.outcome == REPLAY_VALIDATED;
    replay_free(&replay);
    return shown +
           (shown && (!v->on_database || replay_has_schedule(x, v->level)));
}

static bool
try_database(const struct validation *v, const struct prediction *p,
             struct validated *out, struct err *err)
{
    struct database db;
    if (!v->on_database)
        return true;
    out->isolation = replay_isolation(v->level);
    if (!database_open(v->target, out->isolation, &v->setups, &db, err))
        return false;
    // Shorten "PostgreSQL 15.18 (Debian ...), 1 node" to "PostgreSQL 15.18".
    const size_t brief = strcspn(db.note, "(,");
    snprintf(out->database, sizeof out->database, "%.*s",
             (int)(brief && db.note[brief - 1] == ' ' ? brief - 1 : brief),
             db.note);
    bool ok = true;
    out->on_database = mem_calloc(p->found.n + 1, sizeof *out->on_database);
    for (size_t i = 0; ok && i < p->found.n; i++)
        ok = replay_on_database(&p->found.at[i].execution, &v->program,
                                v->level, &db, &out->on_database[i], err);
    database_close(&db);
    return ok;
}

bool
validation_all(const struct validation *v, const struct prediction *p,
               struct validated *out, struct err *err)
{
    *out = (struct validated){.n = p->found.n};
    out->on_store = mem_calloc(p->found.n + 1, sizeof *out->on_store);
    bool ok = true;
    for (size_t i = 0; ok && i < p->found.n; i++)
        ok = replay_run(&p->found.at[i].execution, &v->program, v->level,
                        &out->on_store[i], err);
    return ok && (!p->found.n || try_database(v, p, out, err));
}

enum predict_answer
validation_answer(const struct prediction *p, const struct validated *v)
{
    assert(p->answer != PREDICT_DECLINED || p->found.n == 1);
    const bool is_shown = v->on_database && p->found.n &&
                          v->on_database[0].outcome == REPLAY_VALIDATED;
    return p->answer == PREDICT_DECLINED && is_shown ? PREDICT_FOUND
                                                     : p->answer;
}

void
validation_free(struct validated *v)
{
    for (size_t i = 0; i < v->n; i++) {
        replay_free(&v->on_store[i]);
        if (v->on_database)
            replay_free(&v->on_database[i]);
    }
    mem_free(v->on_store);
    mem_free(v->on_database);
}
