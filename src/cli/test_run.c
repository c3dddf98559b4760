/* test_run.c -- see test_run.h.
 *
 * ^C ends a run early and not the program: what was recorded until then is
 * checked, and the servers that were started are stopped.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/test_run.h"

#include "level/names.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 30 }; // seconds to wait for a server that is gone

/* --- signals ---------------------------------------------------------------*/

// A signal handler can reach nothing but what is global.
static volatile sig_atomic_t interrupted;

static void
interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void
handle_signals(void (*handler)(int), void (*for_pipes)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // A connection that breaks is an outcome, and not the end.
    action.sa_handler = for_pipes;
    sigaction(SIGPIPE, &action, NULL);
}

/* --- the command line ------------------------------------------------------*/

/* The strongest of the levels to check decides what is asked of the server. */
static bool
choose_isolation(const struct options *o, enum isolation *out, struct err *err)
{
    level_set levels;
    if (o->isolation)
        return isolation_parse(o->isolation, out) ||
               err_set(err, ERR_USAGE,
                       "--isolation is read-uncommitted, read-committed, "
                       "repeatable-read or serializable, not '%s'",
                       o->isolation);
    if (!level_parse_list(o->level ? o->level : "ser", o->session_order,
                          &levels, err))
        return false;
    enum level strongest = LEVEL_READS;
    for (int l = 0; l < LEVELS; l++)
        if (levels >> l & 1)
            strongest = (enum level)l;
    *out = isolation_for(strongest);
    return true;
}

static bool
choose_shape(const struct options *o, struct workload_shape *out,
             struct err *err)
{
    *out = (struct workload_shape){
        .kind = workload_find(o->workload),
        .app = app_find(o->workload),
        .sessions = o->sessions,
        .operations = o->operations,
        .keys = o->keys,
        .theta = o->theta,
        .reads = o->reads,
        .duplicates = o->duplicates,
        .values = o->values,
        .value_theta = o->value_theta,
        .aborts = o->aborts,
        .seed = o->seed,
    };
    if (!out->kind && !out->app)
        return err_set(err, ERR_USAGE,
                       "'%s' is no workload; see 'assay test --help'",
                       o->workload);
    out->lists = strcmp(o->lists, "arrays") == 0 ? KEYS_ARRAYS : KEYS_LISTS;
    if (out->lists == KEYS_LISTS && strcmp(o->lists, "text") != 0)
        return err_set(err, ERR_USAGE, "--lists is text or arrays, not '%s'",
                       o->lists);
    if (!out->keys)
        out->keys = out->app ? out->app->units : 100;
    return gen_parse_distribution(o->distribution, &out->distribution, err);
}

/* The target as far as it may be shown: without a password. */
static void
choose_name(struct test_run *f)
{
    const char *slashes = strstr(f->target, "//");
    const char *sign = slashes ? strchr(slashes, '@') : NULL;
    const size_t scheme = slashes ? (size_t)(slashes + 2 - f->target) : 0;
    snprintf(f->name, sizeof f->name, "%.*s%s", sign ? (int)scheme : 0,
             f->target, sign ? sign + 1 : f->target);
    const size_t n = strlen(f->name);
    if (n && f->name[n - 1] == ':')
        f->name[n - 1] = 0;
}

static bool
choose_target(const struct options *o, struct test_run *f, struct err *err)
{
    if (o->paths.n > 1)
        return err_set(err, ERR_USAGE,
                       "one target is enough, and '%s' is one "
                       "more",
                       o->paths.at[1]);
    if (o->start && o->paths.n)
        return err_set(err, ERR_USAGE,
                       "--start brings its own target; leave out '%s'",
                       o->paths.at[0]);
    if (o->fault && !o->start)
        return err_set(err, ERR_USAGE,
                       "faults are for servers that --start has started");
    f->target = o->paths.n ? o->paths.at[0] : "sqlite:";
    if (!o->start)
        return true;
    size_t nodes;
    if (!servers_count(o->start, &nodes, err) ||
        (o->fault && !faults_parse(o->fault, nodes, &f->faults, err)))
        return false;
    if (!o->quiet)
        fprintf(stderr, "starting %s\n", o->start);
    f->has_servers = servers_start(o->start, &interrupted, &f->servers, err);
    f->target = f->servers.url;
    return f->has_servers;
}

bool
test_run_begin(const struct options *o, struct test_run *f, struct err *err)
{
    *f = (struct test_run){.options = o};
    f->collect = (struct collect_options){
        .transactions = o->time > 0 ? 0 : o->transactions,
        .seconds = o->time,
        .pause = o->pause,
        .move = o->move,
        .patience = PATIENCE,
        .interrupted = &interrupted,
    };
    handle_signals(interrupt, SIG_IGN);
    const bool ok = choose_isolation(o, &f->isolation, err) &&
                    choose_shape(o, &f->collect.shape, err) &&
                    choose_target(o, f, err);
    if (ok)
        choose_name(f);
    else
        test_run_end(f);
    return ok;
}

void
test_run_end(struct test_run *f)
{
    if (f->has_servers)
        servers_stop(&f->servers);
    vec_free(&f->faults);
    handle_signals(SIG_DFL, SIG_DFL);
}

/* --- running ---------------------------------------------------------------*/

static double
per_second(const struct collect_stats *s)
{
    return s->seconds > 0 ? (double)s->committed / s->seconds : 0;
}

static void
show_progress(struct test_run *f, const struct collect_stats *s)
{
    if (f->options->quiet || s->seconds < f->told + 0.5 || !isatty(2))
        return;
    f->told = s->seconds;
    f->is_told = true;
    fprintf(stderr,
            "\r%.0f s: %" PRIu64 " committed, %" PRIu64 " aborted, %" PRIu64
            " unknown, %.0f/s \033[K",
            s->seconds, s->committed, s->aborted, s->unknown, per_second(s));
}

/* Called now and then while the sessions run. */
static void
tick(void *self, const struct collect_stats *stats)
{
    struct test_run *f = self;
    for (size_t i = 0; i < f->faults.n; i++) {
        struct fault *fault = &f->faults.at[i];
        struct err err = {0};
        if (fault->is_done || stats->seconds < fault->seconds)
            continue;
        fault->is_done = true;
        if (!servers_fault(&f->servers, fault, &err) && !interrupted)
            cli_report_error(&err);
    }
    show_progress(f, stats);
}

bool
test_run_run(struct test_run *f, const char *path, struct err *err)
{
    struct database db;
    if (!database_open(f->target, f->isolation, f->options->setup, &db, err))
        return false;
    memcpy(f->note, db.note, sizeof f->note);
    f->collect.tick = tick;
    f->collect.self = f;
    const bool ok = collect_run(&db, &f->collect, path, &f->stats, err);
    if (f->is_told)
        fputs("\r\033[K", stderr);
    database_close(&db);
    return ok;
}

/* --- showing ---------------------------------------------------------------*/

void
test_run_show(const struct test_run *f, FILE *out)
{
    const struct collect_stats *s = &f->stats;
    const struct options *o = f->options;
    const struct workload_shape *shape = &f->collect.shape;
    const uint64_t all = s->committed + s->aborted + s->unknown;
    cli_print_shown(out, f->note);
    fputc('\n', out);
    if (strncmp(f->target, "store:", 6) != 0)
        fprintf(out, "asked for %s\n", isolation_names[f->isolation]);
    fprintf(out,
            "workload %s: %" PRIu64 " sessions, %" PRIu64 " keys, seed %" PRIu64
            "\n",
            o->workload, shape->sessions,
            shape->app ? shape->keys : workload_keys(shape), shape->seed);
    fprintf(out,
            "%" PRIu64 " transactions in %.2f s: %" PRIu64 " committed (%.0f/s)"
            ", %" PRIu64 " aborted, %" PRIu64 " unknown\n",
            all, s->seconds, s->committed, per_second(s), s->aborted,
            s->unknown);
    for (size_t i = 0; i < s->n_failures; i++) {
        fprintf(out, "  %" PRIu64 " times ", s->failures[i].n);
        cli_print_shown(out, s->failures[i].code);
        fputs(": ", out);
        cli_print_shown(out, s->failures[i].message);
        fputc('\n', out);
    }
    if (s->reconnects)
        fprintf(out, "  %" PRIu64 " connections were made again\n",
                s->reconnects);
    if (s->left.kind != ERR_NONE) {
        fputs("  the tables could not be removed: ", out);
        cli_print_shown(out, s->left.text);
        fputc('\n', out);
    }
}
