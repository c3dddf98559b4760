/* test_galera.c -- three nodes of a Galera cluster, healthy all the time.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static void
repeatable_read_loses_updates_between_nodes(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "update",
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .setup = "set wsrep_sync_wait=15",
                  .sessions = 6,
                  .seconds = 3,
                  .reads = 0.1,
                  .keys = 5,
                  .pause = 0.002},
        .broken = LEVEL_BIT(LEVEL_SI),
        .told = ANOMALY_LOST_UPDATE,
    });
}

static void
serializable_has_write_skew_between_nodes(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "skew",
                  .isolation = ISOLATION_SERIALIZABLE,
                  .setup = "set wsrep_sync_wait=1",
                  .sessions = 6,
                  .seconds = 3,
                  .reads = 0.1,
                  .keys = 6},
        .broken = LEVEL_BIT(LEVEL_SER),
        .told = ANOMALY_WRITE_SKEW,
    });
}

/* Without wsrep_sync_wait a node answers before it has caught up. */
static void
sessions_that_move_do_not_always_see_their_own_writes(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .seconds = 3,
                  .operations = 3,
                  .keys = 4,
                  .move = true},
        .broken = LEVEL_BIT(LEVEL_CC),
        .told = ANOMALY_READ_YOUR_WRITES,
    });
}

int
main(void)
{
    if (!start_or_skip("galera:3", &servers))
        return 0;
    RUN(repeatable_read_loses_updates_between_nodes);
    RUN(serializable_has_write_skew_between_nodes);
    RUN(sessions_that_move_do_not_always_see_their_own_writes);
    servers_stop(&servers);
    return test_end();
}
