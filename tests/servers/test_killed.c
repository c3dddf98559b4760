/* test_killed.c -- programs that start a server leave nothing behind, whenever
 * they are killed.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "base/random.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KILLS = 8, EARLY_KILLS = 100 };

static void
kill_while_preparing(const char *what, const char *place, double seconds)
{
    int life[2];
    CHECK(pipe(life) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct servers s;
        struct err err = {0};
        servers_start(what, NULL, &s, &err);
        pause();
        _exit(1);
    }
    close(life[1]);
    time_pause(seconds);
    kill_and_expect_nothing(child, life[0], place);
}

static void
expect_nothing_left(const char *what, int kills, double longest)
{
    char place[] = "/tmp/assay-prepare-XXXXXX";
    struct random random;
    struct servers s;
    if (!start_server(what, &s))
        return;
    servers_stop(&s);
    random_seed(&random, (uint64_t)getpid());
    CHECK(mkdtemp(place) && chmod(place, 0755) == 0);
    setenv("TMPDIR", place, 1);
    for (int i = 0; i < kills && test_ok; i++)
        kill_while_preparing(what, place, random_unit(&random) * longest);
    unsetenv("TMPDIR");
    CHECK(rmdir(place) == 0);
}

/* Hardly any of them gets as far as to a server. */
static void
a_kill_while_the_guard_begins_leaves_nothing(void)
{
    expect_nothing_left("postgresql", EARLY_KILLS, 0.02);
}

static void
a_kill_while_postgresql_is_prepared_leaves_nothing(void)
{
    expect_nothing_left("postgresql", KILLS, 1.5);
}

static void
a_kill_while_mariadb_is_prepared_leaves_nothing(void)
{
    expect_nothing_left("mariadb", KILLS, 2.5);
}

int
main(void)
{
    RUN(a_kill_while_the_guard_begins_leaves_nothing);
    RUN(a_kill_while_postgresql_is_prepared_leaves_nothing);
    RUN(a_kill_while_mariadb_is_prepared_leaves_nothing);
    return test_end();
}
