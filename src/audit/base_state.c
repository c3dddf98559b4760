/* base_state.c -- see base_state.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/base_state.h"

#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The target with another database. */
static bool
with_database(const char *target, const char *database, struct buf *out)
{
    const char *hosts = strstr(target, "://");
    if (!hosts)
        return false;
    hosts += 3;
    const char *path = hosts + strcspn(hosts, "/?");
    const char *query = path + strcspn(path, "?");
    buf_clear(out);
    buf_add(out, target, (size_t)(path - target));
    buf_printf(out, "/%s%s", database, query);
    return true;
}

/* Run SQL at a target; the first cell of the answer goes to 'answer'. */
static bool
run_at(const char *target, const char *sql, struct buf *answer, struct err *err)
{
    struct database db;
    struct connection *c;
    struct result_rows rows = {0};
    if (!database_open(target, ISOLATION_UNCHANGED, NULL, &db, err))
        return false;
    bool ok = db.driver->connect(&db, 0, 0, &c, err);
    if (ok) {
        ok = db.driver->query(c, sql, &rows) == OUTCOME_OK ||
             err_set(err, ERR_IO, "%s", c->message);
        if (ok && answer)
            buf_text(answer, result_rows_get(&rows, 0, 0));
        db.driver->disconnect(c);
    }
    result_rows_free(&rows);
    database_close(&db);
    return ok;
}

static void
put_name(struct buf *out, const char *name)
{
    buf_char(out, '"');
    for (; *name; name++)
        buf_printf(out, *name == '"' ? "\"\"" : "%c", *name);
    buf_char(out, '"');
}

static bool
drop(struct base_state *b, const char *name, struct err *err)
{
    struct buf sql = {0};
    buf_text(&sql, "drop database if exists ");
    put_name(&sql, name);
    const bool ok = run_at(b->admin.at, sql.at, NULL, err);
    buf_free(&sql);
    return ok;
}

static bool
copy(struct base_state *b, const char *from, const char *to, struct err *err)
{
    struct buf sql = {0};
    buf_text(&sql, "create database ");
    put_name(&sql, to);
    buf_text(&sql, " template ");
    put_name(&sql, from);
    struct err why = {0};
    const bool ok = drop(b, to, err) && run_at(b->admin.at, sql.at, NULL, &why);
    if (!ok && why.kind)
        err_set(err, ERR_IO,
                "cannot copy database %s (%s): give a command that restores "
                "it, --reset COMMAND",
                from, why.text);
    buf_free(&sql);
    return ok;
}

static bool
run_command(const struct base_state *b, struct err *err)
{
    const int status = system(b->reset);
    return status == 0 ||
           err_set(err, ERR_IO, "--reset: '%s' ended with status %d", b->reset,
                   status == -1 ? -1 : WEXITSTATUS(status));
}

bool
base_state_keep(struct base_state *b, const char *target, const char *reset,
                struct err *err)
{
    *b = (struct base_state){.target = target, .reset = reset};
    if (reset)
        return run_command(b, err);
    if (!run_at(target, "select current_database()", &b->database, err))
        return false;
    buf_printf(&b->kept, "%s_assay_base", b->database.at);
    buf_printf(&b->trial, "%s_assay_trial", b->database.at);
    if (!with_database(target, "postgres", &b->admin))
        return err_set(err, ERR_USAGE, "%s: expected postgresql://...", target);
    b->is_kept = copy(b, b->database.at, b->kept.at, err);
    return b->is_kept;
}

bool
base_state_restore(struct base_state *b, const char **target, struct err *err)
{
    *target = b->target;
    if (b->reset)
        return run_command(b, err);
    with_database(b->target, b->trial.at, &b->target_of_trial);
    *target = b->target_of_trial.at;
    return copy(b, b->kept.at, b->trial.at, err);
}

void
base_state_free(struct base_state *b)
{
    struct err ignored = {0};
    if (b->is_kept) {
        drop(b, b->trial.at, &ignored);
        drop(b, b->kept.at, &ignored);
    }
    buf_free(&b->database);
    buf_free(&b->kept);
    buf_free(&b->trial);
    buf_free(&b->admin);
    buf_free(&b->target_of_trial);
}
