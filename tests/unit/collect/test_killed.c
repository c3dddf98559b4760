/* test_killed.c -- a recorder that is killed accuses nobody.
 *
 * Runs on correct databases are killed at random moments.  Whatever is left of
 * the recording must not be called a violation: readers whose writers had not
 * heard of their commit yet are the rule there, not the exception.
 *
 *     test_killed [KILLS [SEED]]
 *
 * SPDX-License-Identifier: MIT */
#include "expect.h"

#include "base/limits/limit.h"
#include "base/random.h"
#include "format/format.h"
#include "format/jsonl/jsonl_record.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t kills = 45, seed = 1;

static void
make_path(char *path)
{
    strcpy(path, "/tmp/assay-killed-XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
}

/* Record for ever, in a process of its own. */
static pid_t
start_recording(const struct trial *t, const char *path)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct trial_result ignored;
        trial_record(t, path, &ignored);
        _exit(1);
    }
    return child;
}

/* Wait for the first line, so that there is something to cut. */
static void
await_line(const char *path)
{
    const double until = time_now() + 60;
    char line[sizeof JSONL_RECORDING_BEGIN] = "";
    while (strcmp(line, JSONL_RECORDING_BEGIN) != 0 && time_now() < until) {
        FILE *file = fopen(path, "r");
        if (file && fgets(line, sizeof line, file))
            time_pause(0.001);
        if (file)
            fclose(file);
    }
    CHECK_TEXT(line, JSONL_RECORDING_BEGIN);
}

struct tally {
    unsigned ok, unknown, violated, pending;
    unsigned empty; // cut before the first transaction
};

/* How many transactions of a recording have no outcome. */
static void
count_pending(const char *path, struct tally *tally)
{
    struct history h;
    struct err err = {0};
    if (!format_read(path, "jsonl", 1, &h, NULL, &err))
        return;
    CHECK(h.is_cut);
    tally->empty += !h.n_txns;
    for (txn_id t = 0; t < h.n_txns; t++)
        tally->pending += h.txn_status[t] == TXN_INDETERMINATE;
    history_free(&h);
}

static void
kill_once(struct trial *t, struct random *random, struct tally *tally)
{
    char path[40];
    struct trial_result result = {0};
    make_path(path);
    t->seed = random_below(random, 1 << 20);
    const pid_t child = start_recording(t, path);
    await_line(path);
    time_pause(random_unit(random) * 0.06);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER), &result));
    const enum verdict v = result.verdict[LEVEL_SER];
    tally->ok += v == VERDICT_OK;
    tally->unknown += v == VERDICT_UNKNOWN;
    tally->violated += v == VERDICT_VIOLATED;
    count_pending(path, tally);
    if (v == VERDICT_VIOLATED)
        printf("# %s: %s\n", path, result.text);
    else
        unlink(path);
}

static void
kill_again_and_again(struct trial t)
{
    struct random random;
    struct tally tally = {0};
    if (!can_open(t.target))
        return;
    random_seed(&random, seed);
    t.seconds = 3600;
    for (uint64_t i = 0; i < kills; i++)
        kill_once(&t, &random, &tally);
    printf("# %s: %u ok, %u unknown, %u violated; %u transactions without an "
           "outcome\n",
           t.target, tally.ok, tally.unknown, tally.violated, tally.pending);
    CHECK(tally.violated == 0 && tally.unknown == tally.empty);
    CHECK(tally.ok == kills - tally.empty && tally.ok > 0);
    CHECK(tally.pending > 0);
}

static void
recordings_of_the_store_accuse_nobody(void)
{
    kill_again_and_again((struct trial){.target = "store:ser"});
}

static void
recordings_of_applications_accuse_nobody(void)
{
    kill_again_and_again(
        (struct trial){.target = "store:ser", .app = "smallbank"});
}

static void
recordings_of_lists_accuse_nobody(void)
{
    kill_again_and_again(
        (struct trial){.target = "store:ser", .workload = "append"});
}

static void
recordings_of_sqlite_accuse_nobody(void)
{
    char path[40];
    struct buf target = {0};
    make_path(path);
    buf_printf(&target, "sqlite:%s?journal=wal", path);
    kill_again_and_again((struct trial){.target = target.at});
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        buf_clear(&target);
        buf_printf(&target, "%s%s", path, suffixes[i]);
        unlink(target.at);
    }
    buf_free(&target);
}

int
main(int argc, char *argv[])
{
    kills = argc > 1 ? strtoull(argv[1], NULL, 10) : kills;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    RUN(recordings_of_the_store_accuse_nobody);
    RUN(recordings_of_applications_accuse_nobody);
    RUN(recordings_of_lists_accuse_nobody);
    RUN(recordings_of_sqlite_accuse_nobody);
    return test_end();
}
