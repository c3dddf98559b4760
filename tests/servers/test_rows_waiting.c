/* test_rows_waiting.c -- statements that wait for a row, at read committed, and
 * constraint checks in a snapshot.
 *
 * A statement that waited reads the latest version of the row that it waited
 * for, and the other rows as they were when it began.  A constraint check reads
 * the latest state.  Neither breaks a promise of the database.
 *
 * SPDX-License-Identifier: MIT */
#include "rows_test.h"

/* Play the one interleaving of a text.  Returns whether two transactions
 * committed in it and nothing failed. */
static bool
play(struct database *db, const char *text, level_set levels,
     struct trial_result *r)
{
    struct rows_play p;
    struct interleaved done;
    *r = (struct trial_result){0};
    rows_open(&p, db, text);
    rows_run(&p, 0, &done);
    CHECK_TEXT(done.refusal, "");
    CHECK(trial_check(p.path, levels, r));
    printf("# %s\n", r->text);
    rows_close(&p);
    return !done.failed && done.committed == 2;
}

/* What a session does while another one has row 4 deleted and another row
 * added, or row 4 again. */
static void
wait_for(struct database *db, const char *begin, const char *statement,
         int added)
{
    struct buf text = {0};
    struct trial_result r;
    printf("# %s\n", statement);
    buf_printf(&text,
               "setup { create table a (id int primary key, v int); "
               "insert into a values (1, 0), (4, 0), (5, 0) }\n"
               "teardown { drop table a }\n"
               "session a\nstep w1 { %s; delete from a where id = 4; "
               "insert into a values (%d, 0) }\nstep c1 { commit }\n"
               "session b\nstep b2 { %s }\nstep w2 { %s }\n"
               "step c2 { commit }\npermutation w1 b2 w2 c1 c2\n",
               begin, added, begin, statement);
    CHECK(play(db, text.at, LEVEL_BIT(LEVEL_RC), &r));
    CHECK(r.verdict[LEVEL_RC] == VERDICT_OK);
    buf_free(&text);
}

static void
wait_with(struct database *db, const char *begin, const char *statement)
{
    wait_for(db, begin, statement, 1001);
    wait_for(db, begin, statement, 4);
}

static void
wait_on_postgresql(struct database *db, const char *url)
{
    static const char *const statements[] = {
        "update a set v = 1",
        "update a set v = v + 1 where v < 5",
        "delete from a where v = 0",
        "select * from a for update",
        "select * from a where v = 0 order by a.id desc for share",
        "merge into a using (values (0)) x (n) on a.v = x.n when matched then "
        "update set v = 1",
        "with w as (update a set v = 3 where v = 0 returning id) "
        "select count(*) from w",
    };
    (void)url;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        wait_with(db, "begin isolation level read committed", statements[i]);
}

static void
statements_that_wait_keep_read_committed(void)
{
    rows_on_server("postgresql", wait_on_postgresql);
}

/* --- MariaDB ---------------------------------------------------------------*/

/* A snapshot, and what another session changes before a foreign key is checked.
 */
struct checked {
    const char *read, *change, *write;
};

/* The check sees the change, and the snapshot does not.  With snapshot
 * isolation on, the server may refuse the statement instead. */
static void
check_in_a_snapshot(struct database *db, const struct checked *k, bool is_on)
{
    struct trial_result r;
    struct buf text = {0};
    buf_printf(&text,
               "setup { create table p (id int primary key) engine=innodb; "
               "create table t (id int primary key, p int, foreign key (p) "
               "references p (id)) engine=innodb; insert into p values (1), "
               "(3); insert into t values (6, 3) }\n"
               "teardown { drop table t; drop table p }\n"
               "session a\nstep r1 { set transaction isolation level "
               "repeatable read; begin; %s }\nstep w1 { %s }\n"
               "step c1 { commit }\nsession b\nstep w2 { %s }\n"
               "permutation r1 w2 w1 c1\n",
               k->read, k->write, k->change);
    const bool is_done =
        play(db, text.at, LEVEL_BIT(LEVEL_SI) | LEVEL_BIT(LEVEL_SER), &r);
    CHECK(r.verdict[LEVEL_SI] == VERDICT_OK);
    CHECK(is_done || is_on);
    CHECK(r.verdict[LEVEL_SER] == (is_done ? VERDICT_VIOLATED : VERDICT_OK));
    buf_free(&text);
}

static void
check_in_snapshots(struct database *db)
{
    static const struct checked cases[] = {
        {"select * from p", "insert into p values (2)",
         "insert into t values (7, 2)"},
        {"select * from t", "delete from t where id = 6",
         "delete from p where id = 3"},
    };
    struct connection *c;
    struct err err = {0};
    CHECK(db->driver->connect(db, 0, 0, &c, &err));
    for (int is_on = 0; is_on < 2; is_on++) {
        // Versions before 10.6.18 do not have it.
        if (c->driver->query(c,
                             is_on ? "set global innodb_snapshot_isolation = 1"
                                   : "set global innodb_snapshot_isolation = 0",
                             NULL) != OUTCOME_OK &&
            is_on)
            break;
        printf("# snapshot isolation is %s\n", is_on ? "on" : "off");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            check_in_a_snapshot(db, &cases[i], is_on);
    }
    c->driver->disconnect(c);
}

static void
wait_on_mariadb(struct database *db, const char *url)
{
    static const char *const statements[] = {
        "update a set v = 1",
        "update a set v = v + 1 where v < 5",
        "delete from a where v = 0",
        "select * from a for update",
    };
    (void)url;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        wait_with(db, "set transaction isolation level read committed; begin",
                  statements[i]);
    check_in_snapshots(db);
}

static void
mariadb_keeps_read_committed_and_snapshots(void)
{
    rows_on_server("mariadb", wait_on_mariadb);
}

int
main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : "";
    if (strcmp(server, "mariadb") != 0)
        RUN(statements_that_wait_keep_read_committed);
    if (strcmp(server, "postgresql") != 0)
        RUN(mariadb_keeps_read_committed_and_snapshots);
    return test_end();
}
