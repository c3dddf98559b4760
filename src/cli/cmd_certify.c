/* cmd_certify.c -- assay certify: is the evidence for a verdict sound?
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "evidence/certificate_io.h"
#include "history/sessions.h"
#include "verify/verify.h"

static const char *const verdicts[] = {[VERDICT_OK] = "ok",
                                       [VERDICT_VIOLATED] = "violated",
                                       [VERDICT_UNKNOWN] = "unknown"};

/* What a certificate that was looked at is called. */
static const char *
outcome(const struct certificate *c, const struct err *err)
{
    return err->kind                       ? "not certified"
           : c->verdict == VERDICT_UNKNOWN ? "nothing to certify"
                                           : "certified";
}

static void
say(const struct options *o, const char *path, const struct certificate *c,
    const struct err *err)
{
    const struct level_info *level = &level_table[c->level];
    struct buf out = {0};
    if (o->json) {
        buf_text(&out, "{\"certificate\":");
        buf_json(&out, path, strlen(path));
        buf_printf(&out, ",\"level\":\"%s\",\"verdict\":\"%s\",\"valid\":%s",
                   level->brief, verdicts[c->verdict],
                   err->kind ? "false" : "true");
        if (err->kind) {
            buf_text(&out, ",\"why\":");
            buf_json(&out, err->text, strlen(err->text));
        }
        buf_text(&out, "}\n");
    } else {
        buf_shown(&out, path);
        buf_printf(&out, ": %s: %s: %s%s", level->name, verdicts[c->verdict],
                   outcome(c, err), err->kind ? ": " : "");
        buf_shown(&out, err->text);
        buf_char(&out, '\n');
    }
    emit(&out);
    buf_free(&out);
}

static bool
read_certificate(const char *path, const struct history *h,
                 struct certificate *c, struct err *err)
{
    struct input in;
    if (!input_open(&in, path, err))
        return false;
    const bool ok = in.is_directory
                        ? err_set(err, ERR_IO, "a directory is no certificate")
                        : certificate_read(h, in.data, in.size, c, err);
    input_close(&in);
    return ok || err_in_file(err, path);
}

int
cmd_certify(const struct options *o)
{
    if (o->paths.n != 2)
        return usage_error("certify wants a history and a certificate");
    struct history h;
    if (!load(o, o->paths.at[0], &h, NULL))
        return EXIT_ERROR;
    if (!o->session_order)
        history_ignore_sessions(&h);
    struct err err = {0};
    struct certificate c = {0};
    int status = EXIT_ERROR;
    limit_phase("verifying");
    if (!read_certificate(o->paths.at[1], &h, &c, &err)) {
        report_error(&err);
    } else {
        status = !verify_certificate(&h, &c, &err) ? EXIT_VIOLATED
                 : c.verdict == VERDICT_UNKNOWN    ? EXIT_UNKNOWN
                                                   : EXIT_HOLDS;
        say(o, o->paths.at[1], &c, &err);
    }
    certificate_free(&c);
    history_free(&h);
    return status;
}
