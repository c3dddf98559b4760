/* test_plays.c -- specifications that were once misunderstood, on servers:
 * nobody is accused wrongly, nothing passes unseen, nothing hangs.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "spec/interleave.h"

#include <stdlib.h>
#include <unistd.h>

#define T "create table t (id int primary key, v int);"
#define TWO T "insert into t values (1, 10), (2, 20)"

enum end { HOLDS, BROKEN, IMPOSSIBLE, REFUSED };

struct fact {
    const char *name, *spec;
    enum driver_isolation isolation;
    enum level level;
    enum end end;
    size_t committed, waited; // at least so many steps waited
    const char *refusal;      // where REFUSED
};

#define RC ISOLATION_READ_COMMITTED, LEVEL_RC
#define SI ISOLATION_REPEATABLE_READ, LEVEL_SI
#define SER ISOLATION_SERIALIZABLE, LEVEL_SER
#define WEAK_SER ISOLATION_REPEATABLE_READ, LEVEL_SER

/* --- for both servers ------------------------------------------------------*/

#define INCREMENTS                                                             \
    "setup {" TWO "} session a step a { update t set v = v + 1 where id = 1 }" \
    "session b step b { begin } step c { update t set v = v + 1 where id = 1 " \
    "} step d { commit } permutation b c a d"
#define COUNTS                                                                 \
    "setup {" T "insert into t values (1, 1) }"                                \
    "session a step a { begin } step b { select count(*) from t }"             \
    "step c { insert into t values (2, 1) } step d { commit }"                 \
    "session e step e { begin } step f { select count(*) from t }"             \
    "step g { insert into t values (3, 1) } step h { commit }"                 \
    "permutation a e b f c g d h"
#define ABSENT                                                                 \
    "setup {" T "}"                                                            \
    "session a step a { begin } step b { select v from t where id = 1 }"       \
    "step c { insert into t values (2, 1) } step d { commit }"                 \
    "session e step e { begin } step f { select v from t where id = 2 }"       \
    "step g { insert into t values (1, 1) } step h { commit }"                 \
    "permutation a e b f c g d h"
#define LAST_WRITES                                                            \
    "setup {" TWO "} session a step a { begin }"                               \
    "step b { select v from t where id = 1 }"                                  \
    "step c { update t set v = 5 where id = 1 } step d { commit }"             \
    "session e step e { begin } step f { select v from t where id = 1 }"       \
    "step g { update t set v = 6 where id = 1 } step h { commit }"             \
    "permutation a e b f c d g h"
#define DEADLOCK                                                               \
    "setup {" TWO "} session a step a { begin }"                               \
    "step b { update t set v = 1 where id = 1 }"                               \
    "step c { update t set v = 2 where id = 2 } step d { commit }"             \
    "session e step e { begin } step f { update t set v = 3 where id = 2 }"    \
    "step g { update t set v = 4 where id = 1 } step h { commit }"             \
    "permutation a e b f c g d h"
#define WAITS                                                                  \
    "setup {" TWO "} session a step a { begin }"                               \
    "step b { update t set v = 1 where id = 1 }"                               \
    "session e step e { begin } step f { update t set v = 3 where id = 1 }"    \
    "step g { commit } permutation a b e f g"
#define TWICE                                                                  \
    "setup {" TWO "} session a step a { begin }"                               \
    "step b { update t set v = 1 where id = 1 } step c { start transaction }"  \
    "step d { update t set v = 2 where id = 2 } step e { rollback }"           \
    "session f step f { select v from t } permutation a b c d e f"
#define ONE_STEP                                                               \
    "setup {" TWO "} session a step a { update t set v = 1 where id = 1;"      \
    " insert into t values (1, 1); update t set v = 2 where id = 2 }"          \
    "session b step b { select v from t } permutation a b"
#define DUPLICATE                                                              \
    "setup {" TWO "} session a step a { begin }"                               \
    "step b { select v from t where id = 3 }"                                  \
    "step c { insert into t values (3, 1) } step d { commit }"                 \
    "session e step e { insert into t values (3, 2) }"                         \
    "permutation a b e c d"
#define TEXTS                                                                  \
    "setup { create table Tab (Id int, Flag boolean, Amount numeric(10,2),"    \
    " note varchar(20), primary key (id));"                                    \
    " insert into Tab values (01, true, 11, '011'), (2, false, 5, null) }"     \
    "session a step a { begin; select FLAG, amount from Tab where ID = 001 }"  \
    "step b { update Tab set AMOUNT = 7, flag = false where id = 01 }"         \
    "step c { select Tab.amount, flag from Tab; commit }"                      \
    "session d step d { update Tab set amount = amount + 1.5 where id = 1;"    \
    " select * from Tab } permutation a b c d"

/* --- for one of them -------------------------------------------------------*/

#define QUOTES                                                                 \
    "setup { create table t (k text primary key, v int);"                      \
    " create table u (id int primary key);"                                    \
    " insert into t values ('x''); drop table u; --', 1) }"                    \
    "session a step a { update t set v = v + 1 }"                              \
    "step b { insert into u values (1); delete from t }"                       \
    "session c step c { update t set v = 9 where k = 'x''); drop table u; --'" \
    " } step d { select id from u } permutation a c b d"
#define SCHEMA                                                                 \
    "setup { create schema s; create table s.t (id int primary key, v int);" T \
    "insert into s.t values (1, 1); insert into public.t values (1, 2) }"      \
    "teardown { drop schema s cascade }"                                       \
    "session a step a { update s.t set v = 3 where id = 1 }"                   \
    "session b step b { select v from t } step c { select v from S.T }"        \
    "permutation a b c"
#define HIDDEN                                                                 \
    "setup {" TWO "; create function f() returns trigger language plpgsql as " \
    "$$ begin new.v := 77; return new; end $$;"                                \
    "create function g() returns void language sql as "                        \
    "$$ create trigger x before update on t for each row execute function "    \
    "f() $$; select g() } teardown { drop table t; drop function f, g }"       \
    "session a step a { update t set v = 1 where id = 2 }"
#define CASCADE                                                                \
    "setup {" TWO "; create function f() returns trigger language plpgsql as " \
    "$$ begin update t set v = 77 where id = 1; return new; end $$;"           \
    "create function g() returns void language sql as "                        \
    "$$ create trigger x after update on t for each row when (new.id = 2) "    \
    "execute function f() $$; select g() }"                                    \
    "teardown { drop table t; drop function f, g }"                            \
    "session a step a { update t set v = 1 where id = 2 }"
#define SLEEPS(call)                                                           \
    "setup {" TWO "} session a step a { begin } step b { select v from t }"    \
    "step c { select " call "(60) } permutation a b c"
#define NEVER                                                                  \
    "setup {" TWO "} session a setup { begin; set local deadlock_timeout = "   \
    "'100s' } step b { update t set v = 1 where id = 1 }"                      \
    "step c { update t set v = 2 where id = 2 }"                               \
    "session e setup { begin; set local deadlock_timeout = '100s' }"           \
    "step f { update t set v = 3 where id = 2 }"                               \
    "step g { update t set v = 4 where id = 1 }"                               \
    "permutation b f c g"
#define SERIAL_KEY                                                             \
    "setup { create table t (id serial primary key, v int) }"                  \
    "session a step a { insert into t (v) values (1), (2) }"                   \
    "session b step b { select v from t } permutation a b"

// clang-format off
static const struct fact of_both[] = {
    {"increments", INCREMENTS, RC, HOLDS, 2, 1, NULL},
    {"texts", TEXTS, SER, HOLDS, 2, 0, NULL},
    {"waits", WAITS, RC, IMPOSSIBLE, 0, 1, NULL},
    {"one step", ONE_STEP, RC, HOLDS, 1, 0, NULL},
    {"absent", ABSENT, WEAK_SER, BROKEN, 2, 0, NULL},
};
static const struct fact of_postgresql[] = {
    {"counts", COUNTS, SI, HOLDS, 2, 0, NULL},
    {"counts", COUNTS, WEAK_SER, BROKEN, 2, 0, NULL},
    {"counts", COUNTS, SER, HOLDS, 1, 0, NULL},
    {"absent", ABSENT, SER, HOLDS, 1, 0, NULL},
    {"last writes", LAST_WRITES, RC, HOLDS, 2, 0, NULL},
    {"last writes", LAST_WRITES, ISOLATION_READ_COMMITTED, LEVEL_SI, BROKEN, 2, 0, NULL},
    {"deadlock", DEADLOCK, RC, HOLDS, 1, 1, NULL},
    {"begin twice", TWICE, SER, HOLDS, 1, 0, NULL},
    {"duplicate", DUPLICATE, SI, HOLDS, 1, 0, NULL},
    {"quotes", QUOTES, SER, HOLDS, 4, 0, NULL},
    {"schema", SCHEMA, SER, HOLDS, 3, 0, NULL},
    {"serial key", SERIAL_KEY, SER, HOLDS, 2, 0, NULL},
    {"hidden", HIDDEN, SER, HOLDS, 1, 0, NULL}, // the row itself tells
    {"cascade", CASCADE, SER, REFUSED, 1, 0, "'t:1:v' changed, but no statement is known to have changed it"},
    {"sleeps", SLEEPS("pg_sleep"), RC, REFUSED, 0, 0, "step 'c' had not ended after 2 seconds, and waits for no lock"},
    {"never", NEVER, RC, REFUSED, 0, 2, "sessions still wait for each other after 2 seconds"},
};
static const struct fact of_mariadb[] = {
    {"begin twice", TWICE, SER, HOLDS, 2, 0, NULL},
    {"deadlock", DEADLOCK, RC, HOLDS, 1, 1, NULL},
    {"last writes", LAST_WRITES, SI, BROKEN, 2, 0, NULL},
    {"duplicate", DUPLICATE, RC, HOLDS, 2, 0, NULL},
    {"duplicate", DUPLICATE, SI, BROKEN, 2, 0, NULL},
    {"sleeps", SLEEPS("sleep"), RC, REFUSED, 0, 0, "step 'c' had not ended after 2 seconds, and waits for no lock"},
};
// clang-format on

static void
judge(const struct fact *f, const struct interleaved *p, const char *path)
{
    struct trial_result r = {0};
    const enum end end = p->refusal[0]     ? REFUSED
                         : !p->is_possible ? IMPOSSIBLE
                                           : HOLDS;
    printf("# %s, %s: %zu committed, %zu aborted, %zu waited %s\n", f->name,
           driver_isolation_names[f->isolation], p->committed, p->aborted,
           p->waited, p->refusal);
    CHECK(end == (f->end == BROKEN ? HOLDS : f->end));
    CHECK(p->committed == f->committed);
    CHECK(p->waited >= f->waited);
    CHECK_TEXT(p->refusal, f->refusal ? f->refusal : "");
    if (end != HOLDS)
        return;
    CHECK(trial_check(path, LEVEL_BIT(f->level), &r));
    printf("# %s\n", r.text);
    CHECK(r.verdict[f->level] ==
          (f->end == BROKEN ? VERDICT_VIOLATED : VERDICT_OK));
}

static void
interleave(const char *target, const struct fact *f)
{
    const struct interleave_options o = {.patience = 0.3, .limit = 2};
    char path[] = "/tmp/assay-play-XXXXXX";
    struct err err = {0};
    struct spec spec;
    struct script script;
    struct database db;
    struct interleaved interleaved;
    u32_vec order = {0};
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(spec_parse(f->spec, strlen(f->spec), &spec, &err));
    CHECK(database_open(target, f->isolation, NULL, &db, &err));
    script_read(&spec, flavour_of(db.driver->scheme), NULL, &script);
    CHECK(spec_next(&spec, 0, &order));
    const uint32_t refusal = script_refuses(&script, &order);
    CHECK(refusal == SCRIPT_UNDERSTOOD);
    if (refusal != SCRIPT_UNDERSTOOD)
        printf("# %s: %s\n", f->name, script.refusals.at[refusal].text);
    else if (interleave_run(&script, &db, &order, &o, path, &interleaved, &err))
        judge(f, &interleaved, path);
    else
        CHECK_TEXT(err.text, "");
    unlink(path);
    vec_free(&order);
    database_close(&db);
    script_free(&script);
    spec_free(&spec);
}

static void
interleave_all(const char *what, const struct fact *facts, size_t n)
{
    struct servers servers;
    if (!start_server(what, &servers))
        return;
    for (size_t i = 0; i < sizeof of_both / sizeof of_both[0]; i++)
        interleave(servers.url, &of_both[i]);
    for (size_t i = 0; i < n; i++)
        interleave(servers.url, &facts[i]);
    servers_stop(&servers);
}

static void
postgresql_is_understood(void)
{
    interleave_all("postgresql", of_postgresql,
                   sizeof of_postgresql / sizeof of_postgresql[0]);
}

static void
mariadb_is_understood(void)
{
    interleave_all("mariadb", of_mariadb,
                   sizeof of_mariadb / sizeof of_mariadb[0]);
}

int
main(void)
{
    RUN(postgresql_is_understood);
    RUN(mariadb_is_understood);
    return test_end();
}
