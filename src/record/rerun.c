/* rerun.c -- see rerun.h.
 *
 * Parameters become literals of EXECUTE.  The server itself turns one that was
 * bound in binary form into text, with the settings of the session.
 *
 * SPDX-License-Identifier: MIT */
#include "record/rerun.h"

#include "base/ascii.h"
#include "record/statement_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_TYPE = 705 }; // the server infers the type of the parameter

bool
rerun_is_execute(const struct recorded_run *r)
{
    return ascii_compare_n(statement_start(r->text), "execute", 7) == 0;
}

/* Ask the server which types it has inferred. */
static bool
ask_types(struct evaluation *e, const struct recorded_run *r, u32_vec *types)
{
    struct result_rows rows = {0};
    const bool ok = evaluation_query(
        e,
        "select t::oid from pg_prepared_statements p, "
        "unnest(p.parameter_types) with ordinality u (t, n) where p.name = "
        "'assay_what_if' order by n",
        &rows);
    for (size_t i = 0; ok && i < rows.n; i++)
        vec_push(types,
                 (uint32_t)strtoul(result_rows_get(&rows, i, 0), NULL, 10));
    result_rows_free(&rows);
    return ok && types->n == r->n_values;
}

static bool
put_value(struct evaluation *e, const struct bound_value *v, uint32_t type)
{
    struct result_rows text = {0};
    bool ok = true;
    if (!v->at) {
        buf_text(&e->execute, "null");
    } else if (!v->is_binary) {
        ok = strlen(v->at) == v->n;
        watched_put_literal(&e->execute, v->at);
    } else {
        ok = e->c->driver->decode(e->c, type, v->at, v->n, &text) ==
                 OUTCOME_OK &&
             text.n == 1;
        watched_put_literal(&e->execute,
                            ok ? result_rows_get(&text, 0, 0) : "");
    }
    result_rows_free(&text);
    return ok;
}

static bool
put_execute(struct evaluation *e, const struct recorded_run *r)
{
    u32_vec types = {0};
    bool ok = !r->n_values || ask_types(e, r, &types);
    buf_text(&e->execute, "execute assay_what_if");
    for (size_t i = 0; ok && i < r->n_values; i++) {
        buf_text(&e->execute, i ? ", " : " (");
        ok = put_value(e, &r->values[i], types.at[i]);
    }
    buf_text(&e->execute, r->n_values ? ")" : "");
    buf_char(&e->execute, 0);
    vec_free(&types);
    return ok;
}

/* "prepare assay_what_if (types) as ..." */
static bool
put_prepare(struct evaluation *e, const struct recorded_run *r, struct buf *sql)
{
    struct result_rows type = {0};
    bool ok = true;
    buf_text(sql, "prepare assay_what_if");
    for (size_t i = 0; ok && i < r->n_values; i++) {
        struct buf ask = {0};
        buf_printf(&ask, "select format_type(%u, null)",
                   i < r->n_types && r->types[i] ? r->types[i] : UNKNOWN_TYPE);
        ok = evaluation_query(e, ask.at, &type);
        buf_free(&ask);
        buf_printf(sql, "%s%s", i ? ", " : " (", result_rows_get(&type, 0, 0));
    }
    buf_printf(sql, "%s as %s\n", r->n_values ? ")" : "", r->text);
    result_rows_free(&type);
    return ok;
}

/* The server has locked the tables and views that a statement names when it
 * prepared it. */
static bool
ask_locks(struct evaluation *e)
{
    struct result_rows r = {0};
    const bool ok = evaluation_query(
        e,
        "select count(*) from pg_locks where pid = pg_backend_pid() and "
        "locktype = 'relation' and relation >= 16384",
        &r);
    e->names_table = !ok || strcmp(result_rows_get(&r, 0, 0), "0") != 0;
    e->names_lost = false;
    for (size_t i = 0; ok && i < e->a->watch->lost.n; i++) {
        char sql[120];
        snprintf(sql, sizeof sql,
                 "select 1 from pg_locks where pid = pg_backend_pid() and "
                 "locktype = 'relation' and relation = %u",
                 e->a->watch->lost.at[i].oid);
        e->names_lost |= !evaluation_query(e, sql, &r) || r.n > 0;
    }
    result_rows_free(&r);
    return ok;
}

static void
begin(struct evaluation *e, const struct session_setup *setup)
{
    buf_clear(&e->enter);
    buf_clear(&e->execute);
    e->names_table = true;
    e->names_lost = e->a->watch->lost.n > 0;
    buf_text(&e->enter, "savepoint assay_run; ");
    session_setup_put(setup, &e->enter);
    buf_text(&e->enter, "; set local jit = off; set local assay.record = '1'");
}

bool
rerun_prepare(struct evaluation *e, const struct session_setup *setup,
              const struct recorded_run *r)
{
    struct buf sql = {0};
    bool ok = true;
    begin(e, setup);
    if (rerun_is_execute(r)) {
        const char *prepared =
            session_setup_prepared(setup, statement_start(r->text));
        ok = prepared && !r->n_values;
        buf_text(&sql, prepared ? prepared : "");
        buf_text(&e->execute, r->text);
        buf_char(&e->execute, 0);
    } else {
        ok = put_prepare(e, r, &sql);
    }
    ok = ok && evaluation_query(e, e->enter.at, NULL) &&
         evaluation_query(e, sql.at, NULL) && ask_locks(e) &&
         evaluation_query(e, "set local extra_float_digits = 3", NULL) &&
         (e->execute.n || put_execute(e, r)) &&
         evaluation_query(e, "rollback to assay_run; release assay_run", NULL);
    buf_free(&sql);
    return ok;
}

void
rerun_prepare_cursor(struct evaluation *e, const struct session_setup *setup,
                     const struct recorded_act *act,
                     const struct recorded_step *declared,
                     const u32_vec *fetched)
{
    begin(e, setup);
    buf_text(&e->execute, declared->run->text);
    buf_char(&e->execute, 0);
    for (size_t i = 0; i < fetched->n; i++) {
        buf_text(&e->execute, act->steps.at[fetched->at[i]].run->text);
        buf_char(&e->execute, 0);
    }
}
