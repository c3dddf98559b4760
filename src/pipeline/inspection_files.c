/* inspection_files.c -- see inspection_files.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/inspection_files.h"

#include "base/limits/context.h"
#include "base/outfile.h"
#include "evidence/certificate_write.h"
#include "pipeline/reduced_file.h"

static bool
write_certificate(const struct inspection *i, const char *path, struct err *err)
{
    if (i->check.results.n != 1)
        return err_set(err, ERR_USAGE,
                       "--certificate needs exactly one level, found %zu",
                       i->check.results.n);
    struct buf text = {0};
    certificate_write(&i->history, &i->check.results.at[0].certificate, &text);
    const bool ok = outfile_write(path, &text, err);
    buf_free(&text);
    return ok;
}

/* The first anomaly that was explained, as a history of its own. */
static bool
write_reduced(const struct inspection_options *o, const struct inspection *i,
              struct buf *notes, struct err *err)
{
    for (size_t r = 0; r < i->check.results.n; r++) {
        const struct explanation *e = &i->explanations[r];
        bool written;
        if (e->anomalies.n)
            return reduced_file_write(&e->anomalies.at[0], o->reduced_format,
                                      o->reduced, &written, notes, err);
    }
    buf_text(notes, check_worst(&i->check) == VERDICT_VIOLATED
                        ? "nothing is reduced: no violation was explained\n"
                        : "nothing to reduce: no level is violated\n");
    return true;
}

static bool
write_files(const struct inspection_options *o, const struct inspection *i,
            struct buf *notes, struct err *err)
{
    context_phase("writing the certificate");
    if (o->certificate && !write_certificate(i, o->certificate, err))
        return false;
    context_phase("writing the reduced history");
    return !o->reduced || write_reduced(o, i, notes, err);
}

static void
discard_files(const struct inspection_options *o)
{
    if (o->certificate)
        outfile_discard(o->certificate);
    if (o->reduced)
        outfile_discard(o->reduced);
}

bool
inspection_write_files(const struct inspection_options *o,
                       const struct inspection *i, double spent,
                       enum verdict *verdict, struct buf *notes,
                       struct err *err)
{
    struct limit_stop stop;
    const struct limits *limits = &o->check.limits;
    if (!limits_set(limits) || (!o->certificate && !o->reduced))
        return write_files(o, i, notes, err);
    if (!i->format) {
        buf_printf(notes, "no %s, as the history was not read\n",
                   o->certificate ? "certificate" : "reduced history");
        return true;
    }
    if (limit_try(limits, spent, NULL, &stop)) {
        const bool ok = write_files(o, i, notes, err);
        limit_end();
        return ok;
    }
    limit_show(&stop, notes);
    buf_char(notes, '\n');
    discard_files(o);
    if (*verdict == VERDICT_OK)
        *verdict = VERDICT_UNKNOWN;
    return true;
}
