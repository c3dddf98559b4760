/* cmd_certify.c -- assay certify: check a certificate against its history.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/limits/context.h"
#include "cli/cli.h"
#include "history/sessions.h"
#include "pipeline/certification.h"

static void
put_json(const char *path, const struct certification *c, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "certificate", path);
    json_text(out, "level", level_table[c->level].brief);
    if (c->boundary)
        json_text(out, "boundary", c->boundary);
    json_text(out, "verdict", c->verdict);
    json_bool(out, "valid", !c->flaw.kind);
    if (c->flaw.kind)
        json_text(out, "why", c->flaw.text);
    json_end_line(out);
}

static void
put_text(const char *path, const struct certification *c, struct buf *out)
{
    const char *outcome = c->flaw.kind  ? "not certified: "
                          : c->is_empty ? "nothing to certify"
                                        : "certified";
    buf_shown(out, path);
    buf_printf(out, ": %s%s%s: %s: %s", level_table[c->level].name,
               c->boundary ? ", " : "", c->boundary ? c->boundary : "",
               c->verdict, outcome);
    buf_shown(out, c->flaw.text);
    buf_char(out, '\n');
}

static int
show(const struct options *o, const struct certification *c)
{
    struct buf out = {0};
    (o->json ? put_json : put_text)(o->paths.at[1], c, &out);
    cli_emit(&out);
    buf_free(&out);
    return c->flaw.kind  ? EXIT_VIOLATED
           : c->is_empty ? EXIT_UNKNOWN
                         : EXIT_HOLDS;
}

/* The order of a stream: the history is not loaded. */
static int
certify_stream(const struct options *o)
{
    struct err err = {0};
    struct certification c;
    if (!o->session_order)
        return cli_usage_error("the order of a stream needs session order");
    context_phase("verifying");
    return certification_run_stream(o->paths.at[1], o->paths.at[0], o->format,
                                    &c, &err)
               ? show(o, &c)
               : cli_report_error(&err);
}

int
cmd_certify(const struct options *o)
{
    struct err err = {0};
    struct certification c;
    if (o->paths.n != 2)
        return cli_usage_error("certify needs a history and a certificate");
    if (certification_is_of_stream(o->paths.at[1]))
        return certify_stream(o);
    struct history h;
    if (!cli_load(o, o->paths.at[0], &h, NULL))
        return EXIT_ERROR;
    if (!o->session_order)
        history_ignore_sessions(&h);
    context_phase("verifying");
    const bool ok = certification_run(o->paths.at[1], &h, &c, &err);
    history_free(&h);
    return ok ? show(o, &c) : cli_report_error(&err);
}
