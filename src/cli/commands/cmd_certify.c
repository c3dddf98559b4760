/* cmd_certify.c -- assay certify: check a certificate against its history.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/limits/context.h"
#include "cli/cli.h"
#include "evidence/certificate_read.h"
#include "history/sessions.h"
#include "verify/absence/verify_absence.h"
#include "verify/verify.h"

static const char *const verdicts[] = {[VERDICT_OK] = "ok",
                                       [VERDICT_VIOLATED] = "violated",
                                       [VERDICT_UNKNOWN] = "unknown"};

/* The word for the result of checking a certificate. */
static const char *
outcome(const struct certificate *c, const struct err *err)
{
    return err->kind                       ? "not certified"
           : c->verdict == VERDICT_UNKNOWN ? "nothing to certify"
                                           : "certified";
}

/* What a certificate claims, and whether it proves the claim. */
struct claim {
    const char *path;
    enum level level;
    const char *boundary; // of a prediction; NULL: a verdict about a level
    const char *verdict;  // "violated"
    const char *outcome;  // "certified"
    const struct err *err;
};

static void
put_json(const struct claim *c, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "certificate", c->path);
    json_text(out, "level", level_table[c->level].brief);
    if (c->boundary)
        json_text(out, "boundary", c->boundary);
    json_text(out, "verdict", c->verdict);
    json_bool(out, "valid", !c->err->kind);
    if (c->err->kind)
        json_text(out, "why", c->err->text);
    json_end_line(out);
}

static void
put_text(const struct claim *c, struct buf *out)
{
    buf_shown(out, c->path);
    buf_printf(out, ": %s%s%s: %s: %s%s", level_table[c->level].name,
               c->boundary ? ", " : "", c->boundary ? c->boundary : "",
               c->verdict, c->outcome, c->err->kind ? ": " : "");
    buf_shown(out, c->err->text);
    buf_char(out, '\n');
}

static void
show(const struct options *o, const struct claim *c)
{
    struct buf out = {0};
    (o->json ? put_json : put_text)(c, &out);
    cli_emit(&out);
    buf_free(&out);
}

static int
certify_absence(const struct options *o, const char *path,
                const struct input *in, const struct history *h)
{
    struct err err = {0};
    struct absence a;
    if (!absence_read(h, in->data, in->size, &a, &err)) {
        err_in_file(&err, path);
        return cli_report_error(&err);
    }
    const bool ok = verify_absence(h, &a, &err);
    show(o, &(struct claim){.path = path,
                            .level = a.level,
                            .boundary = a.is_strict ? "strict" : "relaxed",
                            .verdict = "none",
                            .outcome = ok ? "certified" : "not certified",
                            .err = &err});
    absence_free(&a);
    return ok ? EXIT_HOLDS : EXIT_VIOLATED;
}

static int
certify_verdict(const struct options *o, const char *path,
                const struct input *in, const struct history *h)
{
    struct err err = {0};
    struct certificate c = {0};
    if (!certificate_read(h, in->data, in->size, &c, &err)) {
        err_in_file(&err, path);
        return cli_report_error(&err);
    }
    const int status = !verify_certificate(h, &c, &err) ? EXIT_VIOLATED
                       : c.verdict == VERDICT_UNKNOWN   ? EXIT_UNKNOWN
                                                        : EXIT_HOLDS;
    show(o, &(struct claim){.path = path,
                            .level = c.level,
                            .verdict = verdicts[c.verdict],
                            .outcome = outcome(&c, &err),
                            .err = &err});
    certificate_free(&c);
    return status;
}

static int
certify(const struct options *o, const char *path, const struct history *h)
{
    struct err err = {0};
    struct input in;
    if (!input_open(&in, path, &err))
        return cli_report_error(&err);
    int status;
    if (in.is_directory) {
        err_set(&err, ERR_IO, "a directory, expected a certificate");
        err_in_file(&err, path);
        status = cli_report_error(&err);
    } else {
        status =
            (absence_is(in.data, in.size) ? certify_absence
                                          : certify_verdict)(o, path, &in, h);
    }
    input_close(&in);
    return status;
}

int
cmd_certify(const struct options *o)
{
    if (o->paths.n != 2)
        return cli_usage_error("certify needs a history and a certificate");
    struct history h;
    if (!cli_load(o, o->paths.at[0], &h, NULL))
        return EXIT_ERROR;
    if (!o->session_order)
        history_ignore_sessions(&h);
    context_phase("verifying");
    const int status = certify(o, o->paths.at[1], &h);
    history_free(&h);
    return status;
}
