/* cmd_follow.c -- assay follow: check a history while it is written.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/interrupt.h"
#include "level/names.h"
#include "pipeline/follow_inspection.h"

#include <unistd.h>

struct follow_command {
    struct inspect *inspect;
    double began, status, next; // seconds: between status lines, of the next
    bool on_terminal, has_line; // a status line is on the terminal
};

static void
clear_line(struct follow_command *f)
{
    if (f->has_line)
        fputs("\r\033[K", stderr);
    f->has_line = false;
}

/* One line that a person reads, in place of the last one. */
static void
show_line(struct follow_command *f, const struct follow_state *s)
{
    clear_line(f);
    fprintf(stderr,
            "%llu transactions, %llu violations, %llu unresolved, lag %.1f s, "
            "%.0f MB",
            (unsigned long long)s->sizes->transactions,
            (unsigned long long)s->violations,
            (unsigned long long)s->unresolved, s->lag,
            (double)mem_in_use() / 1e6);
    fflush(stderr);
    f->has_line = true;
}

/* One line for machines. */
static void
show_json(const struct follow_command *f, const struct follow_state *s)
{
    struct buf out = {0};
    json_object(&out, NULL);
    json_fixed(&out, "seconds", time_now() - f->began, 1);
    json_u64(&out, "transactions", s->sizes->transactions);
    json_u64(&out, "operations", s->sizes->operations);
    json_u64(&out, "sessions", s->sizes->sessions);
    json_u64(&out, "keys", s->keys);
    json_u64(&out, "indeterminate", s->sizes->indeterminate);
    json_u64(&out, "violations", s->violations);
    json_u64(&out, "unresolved", s->unresolved);
    json_u64(&out, "waiting", s->waiting);
    json_fixed(&out, "lag", s->lag, 3);
    json_u64(&out, "memory", mem_in_use());
    json_end_line(&out);
    fwrite(out.at, 1, out.n, stderr);
    fflush(stderr);
    buf_free(&out);
}

static bool
go_on(void *self, const struct follow_state *s)
{
    struct follow_command *f = self;
    const double now = time_now();
    if (interrupt_take_status()) {
        clear_line(f);
        show_json(f, s);
    } else if (now >= f->next) {
        f->next = now + f->status;
        if (f->on_terminal)
            show_line(f, s);
        else
            show_json(f, s);
    }
    return !interrupt_flag;
}

static void
shown(void *self)
{
    struct follow_command *f = self;
    clear_line(f);
    cli_emit(&f->inspect->reports[INSPECT_STDOUT].out);
    fflush(stdout);
}

/* The levels of a list are to be one that needs no times. */
static bool
take_level(level_set levels, enum level *out, struct err *err)
{
    levels &= ~LEVEL_SET_ALL;
    *out = level_highest(levels);
    if (levels != level_bit(*out) || level_table[*out].needs_times)
        return err_set(err, ERR_USAGE,
                       "follow needs one level, and not a strict one");
    return true;
}

/* What was found, after the violations themselves. */
static void
show_end(const struct options *o, const struct follow_result *r)
{
    if (o->quiet || r->verdict != VERDICT_VIOLATED)
        return;
    fprintf(stderr,
            "%llu violations in %llu transactions, " FOLLOW_ASSUMES "\n",
            (unsigned long long)r->state.violations,
            (unsigned long long)r->sizes.transactions);
    if (r->state.unresolved)
        fprintf(stderr, "no order was found at %llu other places\n",
                (unsigned long long)r->state.unresolved);
}

static int
follow(const struct options *o, struct inspect *inspect, enum level level)
{
    struct follow_command f = {.inspect = inspect,
                               .began = time_now(),
                               .on_terminal = isatty(STDERR_FILENO),
                               .status = o->status};
    const struct follow_watch w = {.path = o->paths.at[0],
                                   .window = (size_t)o->window,
                                   .settle = o->settle,
                                   .level = level,
                                   .self = &f,
                                   .shown = shown,
                                   .go_on = go_on};
    struct follow_result r;
    struct err err = {0};
    if (f.on_terminal)
        f.status = 1;
    f.next = f.began + f.status;
    interrupt_catch();
    interrupt_catch_status();
    const bool ok = follow_inspection_run(&inspect->options, &w, &r, &err);
    interrupt_restore();
    clear_line(&f);
    if (!ok)
        return inspect_fail(inspect, w.path, &err);
    show_end(o, &r);
    return r.verdict == VERDICT_OK         ? EXIT_HOLDS
           : r.verdict == VERDICT_VIOLATED ? EXIT_VIOLATED
                                           : EXIT_UNKNOWN;
}

int
cmd_follow(const struct options *o)
{
    struct err err = {0};
    struct inspect inspect;
    enum level level;
    if (o->paths.n != 1)
        return cli_usage_error("follow needs one file, directory, pipe, or -");
    if (!inspect_begin(o, NULL, false, &inspect, &err))
        return cli_report_error(&err);
    const int status = take_level(inspect.options.check.levels, &level, &err)
                           ? follow(o, &inspect, level)
                           : cli_report_error(&err);
    return inspect_end(&inspect, status);
}
