/* test_predictions.c -- what is predicted happens on PostgreSQL and MariaDB.
 *
 * Applications run serializably on the built-in store; what is predicted from
 * that at rc and at si is played on the servers.  Played at SERIALIZABLE, none
 * of it happens.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "observe.h"

#include "replay/database.h"

#include <sys/wait.h>

static struct servers servers;

struct trial_of {
    const struct replay_program *program;
    enum level level;
};

static unsigned
has_schedule(void *self, const struct execution *x)
{
    const struct trial_of *t = self;
    return replay_has_schedule(x, t->level) ? PREDICT_ACCEPTED : 0;
}

/* Play what is predicted first, at an isolation. */
static enum replay_outcome
play_first(const struct history *h, struct trial_of *t,
           enum driver_isolation isolation, bool *as_predicted)
{
    struct prediction p;
    struct replay replay = {.outcome = REPLAY_UNLIKE};
    struct err err = {0};
    struct database db;
    const struct predict_options options = {
        .level = t->level, .timeout = 60, .accept = has_schedule, .self = t};
    *as_predicted = false;
    CHECK(predict(h, &options, &p, &err));
    CHECK(database_open(servers.url, isolation, NULL, &db, &err));
    if (p.found.n) {
        CHECK(replay_on_database(&p.found.at[0].execution, t->program, t->level,
                                 &db, &replay, &err));
        *as_predicted = !replay.is_diverged && !replay.differs[0];
        printf("# %s at %s: %s%s%s%s%s, %zu waits\n", t->program->app->name,
               driver_isolation_names[isolation],
               replay_outcome_name(replay.outcome), replay.said[0] ? ", " : "",
               replay.said, replay.differs[0] ? ", " : "", replay.differs,
               replay.waits);
    }
    const enum replay_outcome outcome = replay.outcome;
    replay_free(&replay);
    database_close(&db);
    prediction_free(&p);
    return outcome;
}

/* Sessions are threads, so what is observed differs from run to run, and some
 * predictions are not shown: the application goes on in another way, or the
 * server refuses.  One of a few has to be. */
static void
happens(const char *name, enum level level)
{
    enum { TRIES = 6 };
    bool is_shown = false;
    for (uint64_t seed = 1; seed <= TRIES && !is_shown; seed++) {
        const struct replay_program program =
            program_of(app_find(name), 10, seed);
        struct trial_of t = {&program, level};
        struct history h;
        bool as_predicted;
        CHECK(observe(&program, 200, &h));
        is_shown = play_first(&h, &t, replay_isolation(level), &as_predicted) ==
                       REPLAY_VALIDATED &&
                   as_predicted;
        CHECK(play_first(&h, &t, ISOLATION_SERIALIZABLE, &as_predicted) !=
              REPLAY_VALIDATED);
        history_free(&h);
    }
    CHECK(is_shown);
}

static void
anomalies_at_read_committed_happen(void)
{
    happens("smallbank", LEVEL_RC);
    happens("voter", LEVEL_RC);
    happens("wikipedia", LEVEL_RC);
}

static void
an_anomaly_at_snapshot_isolation_happens(void)
{
    happens("smallbank", LEVEL_SI);
}

/* Observes, predicts, validates and tells. */
static void
one_command_does_all_of_it(void)
{
    const char *assay = getenv("ASSAY");
    char command[1000], piece[4096];
    struct buf text = {0};
    size_t n;
    snprintf(command, sizeof command,
             "'%s' test %s -q --json -w smallbank --txns 100 --predict rc "
             "--validate 2>&1",
             assay ? assay : "", servers.url);
    FILE *out = popen(command, "r");
    while (out && (n = fread(piece, 1, sizeof piece, out)) > 0)
        buf_add(&text, piece, n);
    const int status = out ? pclose(out) : -1;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(text.n && strstr(text.at, "\"outcome\":\"shown\""));
    buf_free(&text);
}

int
main(int argc, char **argv)
{
    if (argc != 2 || !start_or_skip(argv[1], &servers))
        return argc != 2 || test_failures != 0;
    RUN(anomalies_at_read_committed_happen);
    RUN(an_anomaly_at_snapshot_isolation_happens);
    RUN(one_command_does_all_of_it);
    servers_stop(&servers);
    return test_end();
}
