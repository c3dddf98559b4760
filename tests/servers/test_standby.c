/* test_standby.c -- a primary and its standby disagree on the order of
 * commits: PostgreSQL shows a long fork.
 *
 * A standby makes a commit visible when it replays it, the primary when the
 * committing process gets to it, which may wait for the standby first.  Stock
 * settings show it too, but how often depends on the machine.  Here half of
 * the sessions wait and the standby takes a moment to replay, so that the
 * two orders differ for milliseconds.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static const char every_other_session_waits[] =
    "select set_config('synchronous_commit', case when pg_is_in_recovery()"
    " or nextval('turn') % 2 = 0 then 'local' else 'remote_apply' end, false)";

/* Run one statement on a node. */
static bool
tell(size_t node, const char *sql)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    if (!database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err)) {
        printf("# %s\n", err.text);
        return false;
    }
    bool ok = db.driver->connect(&db, 0, node, &c, &err);
    if (ok) {
        ok = db.driver->query(c, sql, NULL) == OUTCOME_OK;
        if (!ok)
            printf("# %s\n", c->message);
        db.driver->disconnect(c);
    }
    database_close(&db);
    return ok;
}

static void
a_standby_forks_and_keeps_causality(void)
{
    CHECK(tell(0, "create sequence turn"));
    CHECK(tell(0, "alter system set synchronous_standby_names = '*'"));
    CHECK(tell(1, "alter system set recovery_min_apply_delay = '20ms'"));
    CHECK(tell(0, "select pg_reload_conf()"));
    CHECK(tell(1, "select pg_reload_conf()"));

    const level_set levels = LEVEL_BIT(LEVEL_CC) | LEVEL_BIT(LEVEL_PC) |
                             LEVEL_BIT(LEVEL_PSI) | LEVEL_BIT(LEVEL_SI);
    struct trial_result r = {0};
    for (uint64_t i = 0; i < 20 && r.verdict[LEVEL_SI] != VERDICT_VIOLATED;
         i++) {
        const struct trial trial = {.target = servers.url,
                                    .workload = "fork",
                                    .isolation = ISOLATION_REPEATABLE_READ,
                                    .setup = every_other_session_waits,
                                    .sessions = 8,
                                    .reads = 0.3,
                                    .seconds = 2,
                                    .seed = i};
        CHECK(trial_run(&trial, levels, &r));
        CHECK(r.verdict[LEVEL_CC] == VERDICT_OK);
    }
    CHECK(r.verdict[LEVEL_SI] == VERDICT_VIOLATED);
    CHECK(r.verdict[LEVEL_PC] == VERDICT_VIOLATED);
    CHECK(r.verdict[LEVEL_PSI] == VERDICT_OK);
    CHECK(trial_told(&r, ANOMALY_LONG_FORK));
}

int
main(void)
{
    if (!start_or_skip("postgresql+standby", &servers))
        return 0;
    RUN(a_standby_forks_and_keeps_causality);
    servers_stop(&servers);
    return test_end();
}
