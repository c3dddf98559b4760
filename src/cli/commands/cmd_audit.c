/* cmd_audit.c -- assay audit: the races of an application's endpoints.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/audit.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "pipeline/choices.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static void
say_phase(void *self, const char *phase)
{
    const bool *quiet = self;
    if (!*quiet)
        fprintf(stderr, "%s\n", phase);
}

static const char *
directory_of(const struct options *o)
{
    return strcmp(o->output, "-") == 0 ? "assay-audit" : o->output;
}

static void
show_nothing(const struct audit *a, struct buf *text)
{
    if (a->is_untested)
        buf_printf(text, "nothing tested: %s\n", audit_untested(a));
    else
        buf_printf(
            text, "no race found in %zu transactions of %zu endpoints%s\n",
            a->txns, a->endpoints, a->is_cut ? ", within the limits" : "");
}

static void
show(const struct options *o, const struct audit *a)
{
    struct buf text = {0};
    for (size_t i = 0; i < a->findings.n; i++) {
        const struct audit_finding *f = &a->findings.at[i];
        if (f->outcome == TRIAL_PREVENTED)
            continue;
        buf_printf(&text, "%s: %s: %s%s%s\n", f->endpoints, f->kind,
                   trial_names[f->outcome], f->why[0] ? ": " : "", f->why);
        if (o->quiet)
            continue;
        buf_printf(&text, "  %s\n  %s\n\n", f->sentence, f->repair);
    }
    if (a->findings.n == a->prevented)
        show_nothing(a, &text);
    if (a->prevented)
        buf_printf(&text,
                   "%zu more cannot go wrong: the database or the application "
                   "prevents it\n",
                   a->prevented);
    if (a->partial)
        buf_printf(&text,
                   "as far as it was recorded: %zu of %zu transactions have "
                   "reads that were not\n",
                   a->partial, a->txns);
    buf_printf(&text, "%s/index.html has the statements\n", directory_of(o));
    cli_emit_text(&text);
    buf_free(&text);
}

/* A suite that failed comes behind what was shown. */
static int
status_of(const struct audit *a)
{
    if (a->shown)
        return EXIT_VIOLATED;
    if (WIFSIGNALED(a->status) || WEXITSTATUS(a->status)) {
        fprintf(stderr, "assay: the command failed, so perhaps not all of its "
                        "requests were sent\n");
        return EXIT_ERROR;
    }
    bool is_open = a->is_cut || a->is_untested;
    for (size_t i = 0; i < a->findings.n; i++)
        is_open |= a->findings.at[i].outcome != TRIAL_PREVENTED &&
                   !a->findings.at[i].is_open;
    return is_open ? EXIT_UNKNOWN : EXIT_HOLDS;
}

int
cmd_audit(const struct options *o)
{
    struct err err = {0};
    if (!o->to)
        return cli_usage_error("audit needs a database, --to URL");
    if (!o->paths.n)
        return cli_usage_error("audit needs the command that runs the test "
                               "suite, -- COMMAND");
    const struct database_level *on =
        database_level_find(o->on ? o->on : "postgresql");
    if (!on || strncmp(on->name, "postgresql", strlen("postgresql")) != 0) {
        choices_error("on", choices_audited, o->on, &err);
        return cli_report_error(&err);
    }
    bool quiet = o->quiet;
    option_texts command = {0};
    for (size_t i = 0; i < o->paths.n; i++)
        vec_push(&command, o->paths.at[i]);
    vec_push(&command, NULL);
    const struct audit_options options = {.target = o->to,
                                          .tables = o->tables,
                                          .reset = o->reset,
                                          .directory = directory_of(o),
                                          .on = on,
                                          .command = command.at,
                                          .threads = cli_thread_count(o),
                                          .stop = &interrupt_flag,
                                          .phase = say_phase,
                                          .self = &quiet};
    struct audit audit;
    interrupt_catch();
    const bool ok = audit_run(&options, &audit, &err);
    interrupt_restore();
    vec_free(&command);
    if (!ok)
        return cli_report_error(&err);
    show(o, &audit);
    const int status = status_of(&audit);
    audit_free(&audit);
    return status;
}
