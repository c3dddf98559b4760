/* session_setup.c -- see session_setup.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/session_setup.h"

#include "base/ascii.h"
#include "record/statement_text.h"

#include <string.h>

enum { MOST_SETS = 100 };

static bool
begins(const char *text, const char *words)
{
    return ascii_compare_n(text, words, strlen(words)) == 0;
}

static bool
contains(const char *text, const char *word)
{
    for (; *text; text++)
        if (begins(text, word))
            return true;
    return false;
}

/* --- the beginning ---------------------------------------------------------*/

static void
add_startup(struct session_setup *s, const char *name, const char *value)
{
    static const char *const others[] = {"client_encoding", "replication",
                                         "options", "_pq_."};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (begins(name, others[i]))
            return;
    vec_push(&s->startup, ((struct session_parameter){name, value}));
}

/* "-c name=value --name=value": quoted blanks are not understood. */
static void
add_options(struct session_setup *s, const char *text)
{
    s->is_unknown |= strchr(text, '\\') != NULL;
    for (const char *at = text; !s->is_unknown && *at;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            break;
        const bool is_long = at[0] == '-' && at[1] == '-';
        const bool is_short = at[0] == '-' && at[1] == 'c';
        at += 2 * (is_long || is_short);
        at += is_short ? strspn(at, " \t\r\n") : 0;
        const size_t size = strcspn(at, " \t\r\n");
        const char *equals = memchr(at, '=', size);
        s->is_unknown = !equals || (!is_long && !is_short);
        if (s->is_unknown)
            break;
        const size_t name = (size_t)(equals - at);
        add_startup(s, arena_copy(&s->a->arena, at, name),
                    arena_copy(&s->a->arena, equals + 1, size - name - 1));
        at += size;
    }
}

/* The settings of its role (ALTER ROLE ... SET).  The administrator has those
 * of its own, unless it is the same role. */
static void
add_role_settings(struct session_setup *s)
{
    struct connection *c = s->a->admin;
    struct result_rows r = {0};
    struct buf sql = {0};
    buf_text(&sql, "select split_part(x, '=', 1), substr(x, strpos(x, '=') + "
                   "1), o.rolname from pg_db_role_setting d join pg_roles o on "
                   "o.oid = d.setrole, unnest(d.setconfig) x where "
                   "d.setdatabase in (0, (select oid from pg_database where "
                   "datname = current_database())) and o.rolname in "
                   "(current_user, ");
    watched_put_literal(&sql, s->session->user);
    buf_text(&sql, ") order by d.setdatabase");
    s->is_unknown |= c->driver->query(c, sql.at, &r) != OUTCOME_OK;
    for (size_t i = 0; i < r.n; i++) {
        const char *name = result_rows_get(&r, i, 0);
        const char *value = result_rows_get(&r, i, 1);
        s->is_unknown |=
            strcmp(result_rows_get(&r, i, 2), s->session->user) != 0;
        add_startup(s, arena_copy(&s->a->arena, name, strlen(name)),
                    arena_copy(&s->a->arena, value, strlen(value)));
    }
    buf_free(&sql);
    result_rows_free(&r);
}

void
session_setup_open(struct session_setup *s, struct assembly *a,
                   const struct recorded_session *session)
{
    *s = (struct session_setup){.a = a, .session = session};
    add_role_settings(s);
    for (size_t i = 0; i < session->parameters.n; i++) {
        const struct session_parameter *p = &session->parameters.at[i];
        if (strcmp(p->name, "options") == 0)
            add_options(s, p->value);
    }
    for (size_t i = 0; i < session->parameters.n; i++)
        add_startup(s, session->parameters.at[i].name,
                    session->parameters.at[i].value);
}

void
session_setup_close(struct session_setup *s)
{
    vec_free(&s->startup);
    vec_free(&s->sets);
    vec_free(&s->prepared);
}

/* --- what it does ----------------------------------------------------------*/

/* A SET of something that decides no answer. */
static bool
is_harmless(const char *text)
{
    static const char *const names[] = {
        "set transaction",        "set session characteristics",
        "set application_name",   "set statement_timeout",
        "set lock_timeout",       "set client_min_messages",
        "set extra_float_digits", "set local statement_timeout",
        "set local lock_timeout"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (begins(text, names[i]))
            return true;
    return false;
}

static void
add(struct session_setup *s, const char *sql, bool is_local)
{
    vec_push(&s->sets, ((struct setup_text){sql, is_local}));
}

/* "set local role" to that which the session began with. */
static void
add_first_role(struct session_setup *s, bool is_local)
{
    struct buf b = {0};
    buf_text(&b, "set local role ");
    watched_put_name(&b,
                     *s->session->role ? s->session->role : s->session->user);
    add(s, arena_copy(&s->a->arena, b.at, b.n), is_local);
    buf_free(&b);
}

static void
add_set(struct session_setup *s, const char *text)
{
    const bool is_local = begins(text, "set local ");
    if (is_harmless(text))
        return;
    if (contains(text, "authorization"))
        s->is_unknown = true;
    else if (contains(text, "role") &&
             (contains(text, "none") || contains(text, "default")))
        s->is_unknown = true; // of a superuser's session
    else
        add(s, text, is_local);
}

/* The word of a text with a number from 0 on, in the arena. */
static const char *
word_of(const struct session_setup *s, const char *text, size_t n)
{
    static const char ends[] = " \t\r\n(;";
    for (; n; n--) {
        text += strcspn(text, ends);
        text += strspn(text, ends);
    }
    return arena_copy(&s->a->arena, text, strcspn(text, ends));
}

static void
reset(struct session_setup *s, const char *text)
{
    const char *name = word_of(s, text, 1);
    if (ascii_compare_n(name, "all", 4) == 0) {
        for (size_t i = 0; i < s->sets.n; i++)
            s->is_unknown |= contains(s->sets.at[i].sql, "role");
        vec_clear(&s->sets);
        s->before = 0;
        return;
    }
    if (ascii_compare_n(name, "role", 5) == 0) {
        add_first_role(s, false);
        return;
    }
    s->is_unknown |= ascii_compare_n(name, "session", 8) == 0;
    for (size_t i = 0; i < s->startup.n; i++)
        s->is_unknown |= begins(s->startup.at[i].name, name);
    add(s, text, false);
}

static bool
has_name(const struct session_setup *s, const char *prepare, const char *name)
{
    return strcmp(word_of(s, prepare, 1), name) == 0;
}

static void
forget_prepared(struct session_setup *s, const char *text, bool all)
{
    size_t kept = 0;
    const char *name = word_of(s, text, 1);
    if (begins(name, "prepare") && !name[7])
        name = word_of(s, text, 2);
    for (size_t i = 0; i < s->prepared.n; i++)
        if (!all && !has_name(s, s->prepared.at[i], name))
            s->prepared.at[kept++] = s->prepared.at[i];
    s->prepared.n = kept;
}

/* set_config: the third argument says whether it is local. */
static void
add_call(struct session_setup *s, const struct recorded_run *run,
         const char *text)
{
    if (run->n_values || run->told.n || !begins(text, "select") ||
        contains(text, "role") || contains(text, "authorization"))
        s->is_unknown = true;
    else
        add(s, text, contains(text, "true"));
}

void
session_setup_add(struct session_setup *s, const struct recorded_run *run)
{
    const char *tag = run->tag, *text = statement_start(run->text);
    if (run->error[0])
        return;
    if (strcmp(tag, "SET") == 0)
        add_set(s, text);
    else if (strcmp(tag, "RESET") == 0)
        reset(s, text);
    else if (strcmp(tag, "DISCARD ALL") == 0)
        s->sets.n = s->prepared.n = s->before = 0;
    else if (strcmp(tag, "PREPARE") == 0)
        vec_push(&s->prepared, text);
    else if (strncmp(tag, "DEALLOCATE", 10) == 0)
        forget_prepared(s, text, strcmp(tag, "DEALLOCATE ALL") == 0);
    else if (strcmp(tag, "ROLLBACK") == 0 && statement_goes_back(text))
        s->is_unknown |= s->sets.n > s->before;
    else if (contains(text, "set_config"))
        add_call(s, run, text);
    s->is_unknown |= s->sets.n > MOST_SETS;
}

/* Keep what outlives the transaction: of equal texts the last. */
void
session_setup_end(struct session_setup *s, bool has_committed)
{
    size_t kept = 0;
    if (!has_committed)
        s->sets.n = s->before;
    for (size_t i = 0; i < s->sets.n; i++) {
        bool is_last = !s->sets.at[i].is_local;
        for (size_t k = i + 1; is_last && k < s->sets.n; k++)
            is_last = s->sets.at[k].is_local ||
                      strcmp(s->sets.at[i].sql, s->sets.at[k].sql) != 0;
        if (is_last)
            s->sets.at[kept++] = s->sets.at[i];
    }
    s->before = s->sets.n = kept;
}

/* --- SQL -------------------------------------------------------------------*/

void
session_setup_put(const struct session_setup *s, struct buf *out)
{
    buf_text(out, "set local role ");
    watched_put_name(out,
                     *s->session->role ? s->session->role : s->session->user);
    for (size_t i = 0; i < s->startup.n; i++) {
        buf_text(out, "; select pg_catalog.set_config(");
        watched_put_literal(out, s->startup.at[i].name);
        buf_text(out, ", ");
        watched_put_literal(out, s->startup.at[i].value);
        buf_text(out, ", true)");
    }
    for (size_t i = 0; i < s->sets.n; i++)
        buf_printf(out, "; %s", s->sets.at[i].sql);
}

const char *
session_setup_prepared(const struct session_setup *s, const char *execute)
{
    const char *name = word_of(s, execute, 1);
    for (size_t i = s->prepared.n; i-- > 0;)
        if (has_name(s, s->prepared.at[i], name))
            return s->prepared.at[i];
    return NULL;
}
