/* cmd_follow.c -- assay follow: check a history while it is written.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/outfile.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/interrupt.h"
#include "level/names.h"
#include "pipeline/follow_inspection.h"

#include <unistd.h>

enum { MOST_SHOWN = 3 }; // violations of a run that is checked as a whole

struct follow_command {
    struct inspect *inspect;
    double began, status, next; // seconds: between status lines, of the next
    bool on_terminal, has_line; // a status line is on the terminal
    const char *metrics;        // file, or NULL
    bool is_warned;             // that none can be written
    pid_t parent;               // the one that records; 0: none
    unsigned n_shown;           // violations
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

static void
add_metric(struct buf *out, const char *name, const char *type,
           const char *help, double value)
{
    buf_printf(out, "# HELP assay_follow_%s %s\n# TYPE assay_follow_%s %s\n",
               name, help, name, type);
    buf_printf(out, "assay_follow_%s ", name);
    buf_decimal(out, value, 3);
    buf_char(out, '\n');
}

/* Prometheus text, for the textfile collector of its node exporter. */
static void
write_metrics(const struct follow_command *f, const struct follow_state *s)
{
    const struct {
        const char *name, *type, *help;
        double value;
    } all[] = {
        {"transactions_total", "counter", "Transactions read.",
         (double)s->sizes->transactions},
        {"operations_total", "counter", "Operations read.",
         (double)s->sizes->operations},
        {"violations_total", "counter", "Violations found.",
         (double)s->violations},
        {"unresolved_total", "counter",
         "Places without an order and without a violation.",
         (double)s->unresolved},
        {"indeterminate_total", "counter", "Transactions of unknown outcome.",
         (double)s->sizes->indeterminate},
        {"sessions", "gauge", "Sessions seen.", (double)s->sizes->sessions},
        {"keys", "gauge", "Keys seen.", (double)s->keys},
        {"waiting", "gauge", "Transactions that are not placed yet.",
         (double)s->waiting},
        {"lag_seconds", "gauge", "Age of the oldest of them.", s->lag},
        {"memory_bytes", "gauge", "Memory in use.", (double)mem_in_use()},
        {"checkpoints_total", "counter", "Checkpoints written.",
         (double)s->checkpoints},
    };
    struct buf out = {0};
    struct err err = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_metric(&out, all[i].name, all[i].type, all[i].help, all[i].value);
    if (!outfile_write(f->metrics, &out, &err))
        cli_report_error(&err);
    buf_free(&out);
}

/* Say once that checkpoints cannot be written, and when they can again. */
static void
note_checkpoints(struct follow_command *f, const struct follow_state *s)
{
    const bool fails = s->checkpoint_err.kind;
    if (fails && !f->is_warned) {
        clear_line(f);
        cli_report_error(&s->checkpoint_err);
    }
    f->is_warned = fails;
}

static bool
go_on(void *self, const struct follow_state *s)
{
    struct follow_command *f = self;
    const double now = time_now();
    const bool asked = interrupt_take_status(), due = now >= f->next;
    note_checkpoints(f, s);
    if (f->metrics && (asked || due || interrupt_flag))
        write_metrics(f, s);
    if (asked) {
        clear_line(f);
        show_json(f, s);
    } else if (due) {
        f->next = now + f->status;
        if (f->on_terminal)
            show_line(f, s);
        else
            show_json(f, s);
    }
    return !interrupt_flag && (!f->parent || getppid() == f->parent);
}

static void
shown(void *self)
{
    struct follow_command *f = self;
    clear_line(f);
    if (f->parent && ++f->n_shown > MOST_SHOWN)
        buf_clear(&f->inspect->reports[INSPECT_STDOUT].out);
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
                               .status = o->status,
                               .metrics = o->metrics,
                               .parent = o->follow ? getppid() : 0};
    const struct follow_watch w = {.path = o->paths.at[0],
                                   .name = o->follow ? "the run so far"
                                                     : o->paths.at[0],
                                   .window = (size_t)o->window,
                                   .settle = o->settle,
                                   .checkpoint = o->checkpoint,
                                   .checkpoint_every = o->status,
                                   .level = level,
                                   .self = &f,
                                   .shown = shown,
                                   .go_on = go_on};
    struct follow_result r;
    struct err err = {0};
    f.on_terminal = f.on_terminal && !o->follow;
    if (f.on_terminal)
        f.status = 1;
    f.next = f.began + f.status;
    interrupt_catch();
    interrupt_catch_status();
    if (o->follow)
        signal(SIGINT, SIG_IGN); // the recording still gets its end
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
    // 'assay test' gives the verdict about what it has recorded.
    return o->follow ? status : inspect_end(&inspect, status);
}
