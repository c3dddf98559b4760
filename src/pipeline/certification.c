/* certification.c -- see certification.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/certification.h"

#include "evidence/certificate_read.h"
#include "format/input.h"
#include "stream/verify/order_file.h"
#include "stream/verify/stream_verify.h"
#include "verify/absence/verify_absence.h"
#include "verify/verify.h"

#include <assert.h>

static bool
check_absence(const char *text, size_t n, const struct history *h,
              struct certification *out, struct err *err)
{
    struct absence a;
    if (!absence_read(h, text, n, &a, err))
        return false;
    verify_absence(h, &a, &out->flaw);
    out->level = a.level;
    out->boundary = a.is_strict ? "strict" : "relaxed";
    out->verdict = "none";
    absence_free(&a);
    return true;
}

static bool
check_verdict(const char *text, size_t n, const struct history *h,
              struct certification *out, struct err *err)
{
    static const char *const names[] = {[VERDICT_OK] = "ok",
                                        [VERDICT_VIOLATED] = "violated",
                                        [VERDICT_UNKNOWN] = "unknown"};
    struct certificate c = {0};
    if (!certificate_read(h, text, n, &c, err))
        return false;
    verify_certificate(h, &c, &out->flaw);
    out->level = c.level;
    out->verdict = names[c.verdict];
    out->is_empty = c.verdict == VERDICT_UNKNOWN;
    certificate_free(&c);
    return true;
}

bool
certification_of_text(const char *text, size_t n, const struct history *h,
                      struct certification *out, struct err *err)
{
    *out = (struct certification){0};
    const bool ok = (absence_is(text, n) ? check_absence
                                         : check_verdict)(text, n, h, out, err);
    assert(!ok || (out->verdict && out->level < LEVELS));
    return ok;
}

bool
certification_run(const char *path, const struct history *h,
                  struct certification *out, struct err *err)
{
    struct input in;
    if (!input_open(&in, path, err))
        return false;
    bool ok = false;
    if (in.is_directory)
        err_set(err, ERR_IO, "a directory, expected a certificate");
    else
        ok = certification_of_text(in.data, in.size, h, out, err);
    input_close(&in);
    return ok || err_in_file(err, path);
}

bool
certification_is_of_stream(const char *path)
{
    return order_file_is(path);
}

bool
certification_run_stream(const char *path, const char *history,
                         const char *format, struct certification *out,
                         struct err *err)
{
    const struct stream_source source = {.path = history, .format = format};
    *out = (struct certification){.verdict = "ok"};
    return stream_verify(&source, path, &out->level, &out->flaw, err) ||
           err_in_file(err, history);
}
