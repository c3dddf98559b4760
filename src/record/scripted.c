/* scripted.c -- see scripted.h.
 *
 * Invariants:
 *   (1) everything that is made has a name with the process id of our own
 *       connection, so that runs do not meet;
 *   (2) a session that becomes a superuser again, or resets its settings, is
 *       noticed: the log has its status and its tags (assembly.c).
 *
 * SPDX-License-Identifier: MIT */
#include "record/scripted.h"

#include "base/ascii.h"
#include "base/container/strings.h"
#include "base/unnamed_file.h"
#include "record/assemble.h"
#include "record/raw_log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH = 1 << 20 }; // bytes of the log that wait for the file

struct scripted {
    struct scripted_options options;
    struct connection *own;    // holds the lock, installs and assembles
    char role[40], schema[40]; // not the same: "$user" is a schema, too
    bool has_role;
    struct buf user; // of the target
    struct spec_recorder recorder;

    pthread_mutex_t lock; // of what follows
    VEC(struct driver_tap *) taps;
    struct raw_log log;
    bool is_open;

    struct buf history, raw; // paths; the raw log is an unnamed file
    int raw_fd;
    char began[40]; // the server's time
    struct record_watch watch;
    struct strings told; // to the user
};

static bool
run(struct scripted *s, const char *sql, struct result_rows *out,
    struct err *err)
{
    return s->own->driver->query(s->own, sql, out) == OUTCOME_OK ||
           err_set(err, ERR_IO, "cannot record: %s", s->own->message);
}

/* --- sessions --------------------------------------------------------------*/

static void
add(struct scripted *s, uint32_t number, char from, char letter,
    const char *body, size_t n)
{
    struct err ignored = {0}; // the log remembers it
    raw_log_add(&s->log, number, from, letter, body, n);
    if (s->log.waiting.n > FLUSH)
        raw_log_flush(&s->log, &ignored);
}

/* Count a statement by its tag: "UPDATE 3", "INSERT 0 1", "SELECT 1". */
static void
count(struct driver_tap *tap, const char *tag)
{
    static const char *const writing[] = {"INSERT 0 ", "UPDATE ", "DELETE ",
                                          "MERGE "};
    static const char *const bounds[] = {"BEGIN", "START", "COMMIT",
                                         "ROLLBACK"};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (strncmp(tag, bounds[i], strlen(bounds[i])) == 0)
            return;
    tap->done++;
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
        const size_t n = strlen(writing[i]);
        tap->writes += strncmp(tag, writing[i], n) == 0 && tag[n] != '0';
    }
}

static void
take(struct driver_tap *tap, char from, char letter, const char *body, size_t n)
{
    struct scripted *s = tap->self;
    if (letter == 'Z')
        tap->state = *body;
    if (letter == 'C')
        count(tap, body);
    pthread_mutex_lock(&s->lock);
    if (s->is_open)
        add(s, tap->number, from, letter, body, n);
    pthread_mutex_unlock(&s->lock);
}

/* Settings of a session that is recorded.  The cost of a policy makes every
 * statement worth compiling, so compiling is off. */
// A role of another name finds other tables by "$user".
static const char set_path[] =
    "select set_config('search_path', replace(current_setting('search_path'), "
    "'\"$user\"', quote_ident(session_user)), false); ";

static bool
become(const struct scripted *s, struct connection *c, struct err *err)
{
    struct buf sql = {0};
    buf_text(&sql, set_path);
    if (s->has_role)
        buf_printf(&sql, "set session authorization \"%s\"; ", s->role);
    buf_printf(&sql,
               "set assay.record = '1'; set assay.run = '%s'; set jit = off",
               s->schema);
    const bool ok =
        c->driver->query(c, sql.at, NULL) == OUTCOME_OK ||
        err_set(err, ERR_IO, "cannot record a session: %s", c->message);
    buf_free(&sql);
    return ok;
}

static bool
attach(void *self, struct connection *c, const char *name, struct err *err)
{
    struct scripted *s = self;
    struct buf parameters = {0};
    char pid[24];
    if (!become(s, c, err))
        return false;
    const int n = snprintf(pid, sizeof pid, "%" PRIu64, c->server_id);
    struct driver_tap *tap = mem_calloc(1, sizeof *tap);
    const char *const words[] = {"user", s->user.at, "name", name};
    for (size_t i = 0; i < 4; i++)
        buf_add(&parameters, words[i], strlen(words[i]) + 1);
    buf_char(&parameters, 0);
    pthread_mutex_lock(&s->lock);
    vec_push(&s->taps, tap);
    *tap = (struct driver_tap){
        .self = s, .number = (uint32_t)s->taps.n, .state = 'I', .take = take};
    add(s, tap->number, RAW_NOTE, 'O', parameters.at, parameters.n);
    if (s->has_role)
        add(s, tap->number, RAW_NOTE, 'R', s->role, strlen(s->role));
    add(s, tap->number, RAW_NOTE, 'K', pid, (size_t)n);
    c->tap = tap;
    pthread_mutex_unlock(&s->lock);
    buf_free(&parameters);
    return true;
}

/* --- a recording -----------------------------------------------------------*/

static void
free_taps(struct scripted *s)
{
    for (size_t i = 0; i < s->taps.n; i++)
        mem_free(s->taps.at[i]);
    vec_clear(&s->taps);
}

static bool
install(struct scripted *s, const struct watched *made, struct buf *beginning,
        struct err *err)
{
    const struct watch_made m = {.made = made,
                                 .text = s->options.text,
                                 .schema = s->schema,
                                 .owner = s->has_role ? s->role : ""};
    struct result_rows now = {0};
    if (!watch_read_made(&s->watch, s->own, &m, err))
        return false;
    const bool ok = watch_install_tables(&s->watch, beginning, err) &&
                    run(s, "select clock_timestamp()", &now, err);
    snprintf(s->began, sizeof s->began, "%s", result_rows_get(&now, 0, 0));
    result_rows_free(&now);
    if (!ok)
        watch_free(&s->watch);
    return ok;
}

/* The setup may have made roles, which a superuser could become. */
static bool
grant_roles(struct scripted *s, struct err *err)
{
    static const char sql[] =
        "do $do$ declare r record; begin for r in select rolname from pg_roles "
        "where rolname <> 'pg_database_owner' and rolname !~ '^assay_r' and "
        "not pg_has_role('%s', oid, 'member') loop execute format('grant %%I "
        "to \"%s\"', r.rolname); end loop; end $do$";
    struct buf text = {0};
    buf_printf(&text, sql, s->role, s->role);
    const bool ok = !s->has_role || run(s, text.at, NULL, err);
    buf_free(&text);
    return ok;
}

static bool
begin(void *self, const struct watched *made, const char *path, struct err *err)
{
    struct scripted *s = self;
    struct buf beginning = {0};
    assert(!s->is_open);
    buf_clear(&s->history);
    buf_text(&s->history, path);
    bool ok = grant_roles(s, err) && install(s, made, &beginning, err);
    if (ok) {
        ok = raw_log_open(&s->log, s->raw.at, err); // empties it
        if (!ok)
            watch_free(&s->watch);
    }
    if (ok) {
        raw_log_add(&s->log, 0, RAW_NOTE, 'H', beginning.at, beginning.n);
        free_taps(s);
        s->is_open = true;
    }
    buf_free(&beginning);
    return ok;
}

/* No session takes part any more. */
static bool
close_log(struct scripted *s, struct err *err)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->taps.n; i++)
        add(s, s->taps.at[i]->number, RAW_NOTE, 'X', "", 0);
    s->is_open = false;
    const bool ok = raw_log_close(&s->log, err);
    pthread_mutex_unlock(&s->lock);
    return ok;
}

/* Transactions that were prepared and never ended hold locks. */
static bool
end_prepared(struct scripted *s, struct err *err)
{
    struct buf sql = {0};
    struct result_rows gids = {0};
    buf_text(&sql, "select quote_literal(gid) from pg_prepared_xacts where "
                   "database = current_database() and prepared >= ");
    watched_put_literal(&sql, s->began);
    bool ok = run(s, sql.at, &gids, err);
    for (size_t i = 0; ok && i < gids.n; i++) {
        buf_clear(&sql);
        buf_printf(&sql, "rollback prepared %s", result_rows_get(&gids, i, 0));
        ok = run(s, sql.at, NULL, err);
    }
    result_rows_free(&gids);
    buf_free(&sql);
    return ok;
}

/* Replace each number of a text by '#'. */
static void
hide_numbers(const char *text, struct buf *out)
{
    buf_clear(out);
    for (bool is_word = false; *text; text++) {
        const bool is_digit = ascii_is_digit(*text) && !is_word;
        is_word = ascii_is_alpha(*text) || *text == '_' || *text == '$' ||
                  (ascii_is_digit(*text) && is_word);
        if (is_digit)
            text += strspn(text, "0123456789.") - 1;
        buf_char(out, is_digit ? '#' : *text);
    }
}

/* Report what is not recorded, once. */
static void
report(struct scripted *s, const struct buf *left_out)
{
    struct buf hidden = {0};
    for (size_t at = 0, n; at < left_out->n; at += n + 1) {
        const char *what = left_out->at + at;
        struct err err = {0};
        const size_t before = s->told.all.n;
        char quoted[256];
        n = strlen(what);
        if (s->options.hides_numbers) {
            hide_numbers(what, &hidden);
            what = hidden.at;
        }
        strings_add(&s->told, what, strlen(what));
        if (s->told.all.n == before || !s->options.left_out)
            continue;
        err_set(&err, ERR_FEATURE, "not recorded, so not checked: %s",
                err_quote(quoted, sizeof quoted, what, strlen(what)));
        s->options.left_out(s->options.self, &err);
    }
    buf_free(&hidden);
}

static bool
finish(void *self, struct spec_recorded *out, struct err *err)
{
    struct scripted *s = self;
    struct assembled history = {0};
    struct err why = {0};
    *out = (struct spec_recorded){0};
    bool ok = close_log(s, err) && end_prepared(s, err);
    if (ok &&
        !assemble(s->raw.at, &s->watch, s->history.at, false, &history, &why)) {
        if (why.kind == ERR_FEATURE)
            snprintf(out->refusal, sizeof out->refusal, "%.399s", why.text);
        else {
            ok = false;
            *err = why;
        }
    }
    if (history.denied && !out->refusal[0])
        snprintf(out->refusal, sizeof out->refusal,
                 "a session is no superuser while it is recorded, and a "
                 "statement failed for that: %s",
                 history.denial);
    out->is_empty = history.is_empty && !history.denied;
    if (ok)
        report(s, &history.left_out);
    buf_free(&history.left_out);
    watch_free(&s->watch);
    return ok;
}

static void
forget(void *self)
{
    struct scripted *s = self;
    struct err ignored = {0};
    if (!s->is_open)
        return;
    close_log(s, &ignored);
    end_prepared(s, &ignored);
    watch_free(&s->watch);
}

/* --- the run ---------------------------------------------------------------*/

// '@' is the role, which has the rights of all others; what only superusers can
// set it can set from PostgreSQL 15 on.
static const char role_sql[] =
    "do $do$ declare r record; begin "
    "create role @ nologin inherit createdb createrole; "
    "comment on role @ is 'made by assay record'; "
    "for r in select rolname from pg_roles where rolname <> "
    "'pg_database_owner' and rolname !~ '^assay_r' loop "
    "execute format('grant %I to @', r.rolname); end loop; "
    "if current_setting('server_version_num')::int >= 150000 then "
    "for r in select name from pg_settings where context = 'superuser' loop "
    "execute format('grant set on parameter %s to @', r.name); "
    "end loop; end if; end $do$";

/* Make a role to which row security applies, if the user is none. */
static bool
make_role(struct scripted *s, struct err *err)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    bool ok = run(s,
                  "select rolsuper, rolbypassrls, rolname from "
                  "pg_roles where rolname = session_user",
                  &r, err);
    const bool is_super = *result_rows_get(&r, 0, 0) == 't';
    if (ok && !is_super && *result_rows_get(&r, 0, 1) == 't')
        ok = err_set(err, ERR_USAGE,
                     "role %s has BYPASSRLS, so the database does not report "
                     "what it reads; use one without it",
                     result_rows_get(&r, 0, 2));
    buf_text(&s->user, result_rows_get(&r, 0, 2));
    if (ok && is_super) {
        for (const char *at = role_sql; *at; at++)
            if (*at == '@')
                buf_text(&sql, s->role);
            else
                buf_char(&sql, *at);
        ok = run(s, sql.at, NULL, err);
        s->has_role = ok;
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok;
}

bool
scripted_open(const struct scripted_options *o, struct scripted **out,
              struct err *err)
{
    struct scripted *s = mem_calloc(1, sizeof *s);
    s->options = *o;
    if (!o->db->driver->connect(o->db, 0, 0, &s->own, err)) {
        mem_free(s);
        return false;
    }
    snprintf(s->role, sizeof s->role, "assay_r%" PRIu64, s->own->server_id);
    snprintf(s->schema, sizeof s->schema, "assay_s%" PRIu64, s->own->server_id);
    s->recorder = (struct spec_recorder){.self = s,
                                         .begin = begin,
                                         .attach = attach,
                                         .finish = finish,
                                         .forget = forget};
    pthread_mutex_init(&s->lock, NULL);
    if (unnamed_file_open(&s->raw, &s->raw_fd, err) &&
        watch_claim(s->own, true, err) && run(s, set_path, NULL, err) &&
        make_role(s, err) && watch_make_functions(s->own, s->schema, err)) {
        *out = s;
        return true;
    }
    scripted_close(s);
    return false;
}

const struct spec_recorder *
scripted_recorder(struct scripted *s)
{
    return &s->recorder;
}

void
scripted_close(struct scripted *s)
{
    struct buf sql = {0};
    if (!s)
        return;
    forget(s);
    buf_printf(&sql, "drop schema if exists \"%s\" cascade", s->schema);
    s->own->driver->query(s->own, sql.at, NULL);
    buf_clear(&sql);
    buf_printf(&sql, "drop owned by \"%s\" cascade; drop role \"%s\"", s->role,
               s->role);
    if (s->has_role)
        s->own->driver->query(s->own, sql.at, NULL);
    buf_free(&sql);
    s->own->driver->disconnect(s->own);
    free_taps(s);
    vec_free(&s->taps);
    buf_free(&s->user);
    buf_free(&s->history);
    if (s->raw.n)
        close(s->raw_fd);
    buf_free(&s->raw);
    strings_free(&s->told);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

bool
scripted_records(struct database *db)
{
    static const char able[] =
        "select 1 from pg_language where lanname = 'plpgsql' and "
        "current_setting('server_version_num')::int >= 130000 and "
        "version() like 'PostgreSQL %' and version() not like '%-YB-%'";
    struct connection *c;
    struct err err = {0};
    struct result_rows rows = {0};
    if (strcmp(db->driver->scheme, "postgresql") != 0 || db->nodes > 1 ||
        !db->driver->connect(db, 0, 0, &c, &err))
        return false;
    const bool is_able =
        c->driver->query(c, able, &rows) == OUTCOME_OK && rows.n;
    result_rows_free(&rows);
    c->driver->disconnect(c);
    return is_able;
}
