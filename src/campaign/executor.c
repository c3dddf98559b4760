/* executor.c -- see executor.h.
 *
 * Each executor is a command line that lives as long as the workers.  Options
 * of GNU parallel and of Slurm come from their own variables: PARALLEL, and
 * those that begin with SBATCH_.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/executor.h"

#include "base/buf.h"
#include "base/container/hash.h"
#include "base/container/vec.h"
#include "base/time.h"
#include "server/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef VEC(const char *) words;
typedef VEC(pid_t) pids;

static bool
spawn(const char *const *argv, pids *to, struct err *err)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        // execvp does not change its strings, although they are not const.
        union {
            const char *const *in;
            char *const *out;
        } all = {argv};
        execvp(argv[0], all.out);
        fprintf(stderr, "assay: cannot start '%s': %s\n", argv[0],
                strerror(errno));
        _exit(127);
    }
    if (pid < 0)
        return err_set(err, ERR_IO, "cannot start '%s': %s", argv[0],
                       strerror(errno));
    vec_push(to, pid);
    return true;
}

/* Wait for all of them, and pass on an interrupt. */
static void
wait_all(pids *all, const volatile sig_atomic_t *interrupted)
{
    bool is_asked = false;
    while (all->n) {
        if (*interrupted && !is_asked)
            for (size_t i = 0; i < all->n; i++)
                kill(all->at[i], SIGTERM);
        is_asked |= *interrupted;
        for (size_t i = 0; i < all->n;)
            if (process_has_ended(all->at[i]))
                all->at[i] = all->at[--all->n];
            else
                i++;
        if (all->n)
            time_pause(0.02);
    }
    vec_free(all);
}

/* Append a word for a shell. */
static void
put_quoted(struct buf *out, const char *word)
{
    buf_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            buf_text(out, "'\\''");
        else
            buf_char(out, *word);
    buf_char(out, '\'');
}

static bool
is_there(const char *program, const char *package, struct err *err)
{
    static const char *const none[] = {NULL};
    char *path = process_find(program, none);
    const bool ok = path || err_set(err, ERR_FEATURE,
                                    "the program '%s' is not there: install "
                                    "the package '%s', or choose another "
                                    "--executor",
                                    program, package);
    mem_free(path);
    return ok;
}

/* --- local -----------------------------------------------------------------*/

static bool
run_local(const struct executor_request *q, struct err *err)
{
    pids all = {0};
    bool ok = true;
    for (unsigned i = 0; ok && i < q->workers; i++)
        ok = spawn(q->worker, &all, err);
    wait_all(&all, q->interrupted);
    return ok;
}

/* --- GNU parallel ----------------------------------------------------------*/

static bool
run_parallel(const struct executor_request *q, struct err *err)
{
    pids all = {0};
    words argv = {0};
    struct buf jobs = {0}, command = {0}, numbers = {0};
    if (!is_there("parallel", "parallel", err))
        return false;
    buf_printf(&jobs, "-j%u", q->workers);
    for (size_t i = 0; q->worker[i]; i++) {
        buf_text(&command, i ? " " : "");
        put_quoted(&command, q->worker[i]);
    }
    // The number of the worker is nothing that it has to know.
    buf_text(&command, " # {}");
    const char *const front[] = {"parallel", "--will-cite", "--line-buffer",
                                 "--halt",   "never",       jobs.at,
                                 command.at, ":::"};
    for (size_t i = 0; i < sizeof front / sizeof *front; i++)
        vec_push(&argv, front[i]);
    for (unsigned i = 1; i <= q->workers; i++)
        buf_printf(&numbers, "%u%c", i, 0);
    for (size_t at = 0; at < numbers.n; at += strlen(numbers.at + at) + 1)
        vec_push(&argv, numbers.at + at);
    vec_push(&argv, NULL);
    const bool ok = spawn(argv.at, &all, err);
    wait_all(&all, q->interrupted);
    vec_free(&argv);
    buf_free(&jobs);
    buf_free(&command);
    buf_free(&numbers);
    return ok;
}

/* --- Slurm -----------------------------------------------------------------*/

/* The batch script of a worker.  Slurm sends signals to the script first, which
 * passes them on, so that a worker can clean up. */
static bool
write_script(const struct executor_request *q, const char *path,
             struct err *err)
{
    struct buf text = {0};
    buf_text(&text, "#!/bin/sh\n");
    for (size_t i = 0; q->worker[i]; i++) {
        buf_text(&text, i ? " " : "");
        put_quoted(&text, q->worker[i]);
    }
    buf_text(&text, " &\n"
                    "worker=$!\n"
                    "trap 'kill -TERM $worker' TERM INT\n"
                    "wait $worker\n"
                    "status=$?\n"
                    "[ $status -le 128 ] || wait $worker\n"
                    "exit $status\n");
    FILE *file = fopen(path, "w");
    const bool ok = file && fwrite(text.at, 1, text.n, file) == text.n;
    const bool is_closed = file && fclose(file) == 0;
    buf_free(&text);
    if (ok && is_closed)
        return true;
    err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return err_in_file(err, path);
}

/* Wait for 'sbatch --wait', and cancel the job if the user interrupts. */
static void
wait_for_job(pids *submitted, const char *name,
             const struct executor_request *q)
{
    while (!process_has_ended(submitted->at[0]) && !*q->interrupted)
        time_pause(0.1);
    if (*q->interrupted) {
        struct buf by_name = {0};
        struct err ignored = {0}; // scancel says so itself
        const char *argv[] = {"scancel", NULL, NULL};
        buf_printf(&by_name, "--name=%s", name);
        argv[1] = by_name.at;
        const bool ok = spawn(argv, submitted, &ignored);
        (void)ok;
        wait_all(submitted, q->interrupted);
        buf_free(&by_name);
    }
    vec_free(submitted);
}

static bool
run_slurm(const struct executor_request *q, struct err *err)
{
    pids all = {0};
    struct buf script = {0}, array = {0}, log = {0}, name = {0}, output = {0};
    if (!is_there("sbatch", "slurm-client", err))
        return false;
    buf_printf(&script, "%s/slurm-%ld.sh", q->directory, (long)getpid());
    buf_printf(&log, "%s/log", q->directory);
    mkdir(log.at, 0777); // the job says so if it cannot be made
    buf_printf(&output, "--output=%s/%%A_%%a", log.at);
    buf_printf(&array, "--array=1-%u", q->workers);
    buf_printf(&name, "--job-name=assay-%08" PRIx64,
               hash_bytes(script.at, script.n) & 0xffffffff);
    const char *const submit[] = {"sbatch",  "--wait", "--quiet", array.at,
                                  output.at, name.at,  script.at, NULL};
    bool ok = write_script(q, script.at, err) && spawn(submit, &all, err);
    if (ok)
        wait_for_job(&all, name.at + strlen("--job-name="), q);
    unlink(script.at);
    buf_free(&script);
    buf_free(&array);
    buf_free(&log);
    buf_free(&name);
    buf_free(&output);
    return ok;
}

const struct executor executor_table[] = {
    {"local", "processes on this machine", run_local},
    {"parallel", "GNU parallel, whose options are in PARALLEL", run_parallel},
    {"slurm", "a job array of Slurm, whose options are in SBATCH_...",
     run_slurm},
    {0},
};

const struct executor *
executor_find(const char *name)
{
    for (const struct executor *e = executor_table; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}
