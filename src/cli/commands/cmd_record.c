/* cmd_record.c -- assay record: record an application on PostgreSQL.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "pipeline/choices.h"
#include "pipeline/redaction.h"
#include "record/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static int
clean(const struct options *o)
{
    struct err err = {0};
    size_t found;
    if (!record_clean(o->to, &found, &err))
        return cli_report_error(&err);
    if (!o->quiet)
        fprintf(stderr,
                found ? "removed from %zu table%s\n"
                      : "nothing was left behind\n",
                found, found == 1 ? "" : "s");
    return EXIT_HOLDS;
}

static void
say_ready(void *self, const char *host, unsigned port)
{
    const bool *quiet = self;
    if (!*quiet)
        fprintf(stderr, "recording at %s:%u\n", host, port);
}

/* A recorded superuser is no superuser (record/plain_role.h). */
static void
say_denied(const struct assembled *a)
{
    if (a->denied)
        fprintf(stderr,
                "assay: %zu statement%s failed because sessions of a superuser "
                "are recorded in a plain role, the first with: %s\n",
                a->denied, a->denied == 1 ? "" : "s", a->denial);
}

static void
say_others(const struct record_result *r)
{
    if (r->others)
        fprintf(stderr,
                "assay: %zu connection%s to other databases %s not recorded\n",
                r->others, r->others == 1 ? "" : "s",
                r->others == 1 ? "was" : "were");
}

/* What was recorded; the status that follows from it. */
static int
show(const struct options *o, const struct record_result *r)
{
    const struct assembled *a = &r->history;
    say_denied(a);
    say_others(r);
    if (a->is_empty) {
        fprintf(stderr, "assay: no row was read or written through the proxy, "
                        "so there is no history\n");
        return EXIT_ERROR;
    }
    if (!o->quiet)
        fprintf(stderr, "%s: %zu transaction%s, %zu of them recorded in part\n",
                o->output, a->txns, a->txns == 1 ? "" : "s", a->partial);
    return a->partial ? EXIT_UNKNOWN : EXIT_HOLDS;
}

/* The command's own failure comes first. */
static int
status_of(int wait_status, int status)
{
    if (WIFSIGNALED(wait_status))
        return 128 + WTERMSIG(wait_status);
    return WEXITSTATUS(wait_status) ? WEXITSTATUS(wait_status) : status;
}

int
cmd_record(const struct options *o)
{
    struct err err = {0};
    struct record_result result;
    if (!o->to)
        return cli_usage_error("record needs a database, --to URL");
    if (o->clean)
        return clean(o);
    if (strcmp(o->output, "-") == 0)
        return cli_usage_error("record needs a file to write to, -o FILE");
    if (!o->listen && !o->assemble)
        return cli_usage_error("record needs a port, --listen PORT");
    const bool at_once = strcmp(o->client, "transaction") == 0;
    if (!at_once && strcmp(o->client, "connection") != 0) {
        choices_error("session", choices_clients, o->client, &err);
        return cli_report_error(&err);
    }
    bool quiet = o->quiet;
    option_texts command = {0};
    for (size_t i = 0; i < o->paths.n; i++)
        vec_push(&command, o->paths.at[i]);
    vec_push(&command, NULL);
    const struct record_options options = {.target = o->to,
                                           .listen = o->listen,
                                           .output = o->output,
                                           .tables = o->tables,
                                           .at_once = at_once,
                                           .command =
                                               o->paths.n ? command.at : NULL,
                                           .stop = &interrupt_flag,
                                           .ready = say_ready,
                                           .self = &quiet};
    interrupt_catch();
    const bool ok =
        (o->assemble ? record_assemble(&options, o->assemble, &result, &err)
                     : record_run(&options, &result, &err)) &&
        (!o->redact || result.history.is_empty ||
         redaction_replace(o->output, &err));
    interrupt_restore();
    vec_free(&command);
    const int status = ok ? show(o, &result) : cli_report_error(&err);
    buf_free(&result.history.left_out);
    return status_of(result.status, status);
}
