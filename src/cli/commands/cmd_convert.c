/* cmd_convert.c -- assay convert: write a history in another format.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/context.h"
#include "cli/cli.h"
#include "cli/output_format.h"
#include "history/builder/rebuild.h"
#include "pipeline/redaction.h"

#include <string.h>

/* Print a note if names, times or metadata are lost: no verdict changes. */
static void
note_losses(const struct history *h, const struct format *format)
{
    const char *lost[4];
    size_t n = 0;
    if (history_has_names(h) && !(format->keeps & KEEPS_NAMES))
        lost[n++] = "names";
    if (h->txn_began && !(format->keeps & KEEPS_TIMES))
        lost[n++] = "times";
    if (h->txn_commit_ts && !(format->keeps & KEEPS_STAMPS))
        lost[n++] = "timestamps of the server";
    if (h->txn_meta && !(format->keeps & KEEPS_META))
        lost[n++] = "metadata";
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s%s",
                i == 0       ? "note: not kept: "
                : i + 1 == n ? " and "
                             : ", ",
                lost[i]);
    if (n)
        fprintf(stderr, " (format '%s' has none)\n", format->name);
}

/* Print a note if the format says more than the history: strict levels, which
 * are about real time, may be violated there only. */
static void
note_order(const struct history *h, const struct format *format)
{
    if (!format->adds_order || !format->adds_order(h))
        return;
    if (h->txn_began)
        fprintf(stderr,
                "note: times of a session overlap, and format '%s' orders its "
                "transactions: strict levels may be violated there only\n",
                format->name);
    else
        fprintf(stderr,
                "note: there are no times, and format '%s' orders all "
                "transactions: strict levels mean nothing there\n",
                format->name);
}

int
cmd_convert(const struct options *o)
{
    struct err err = {0};
    const struct format *format;
    if (o->paths.n != 1)
        return cli_usage_error("convert needs exactly one history");
    if (!output_format_choose(o->to, o->output, &format, &err))
        return cli_report_error(&err);
    struct history h;
    if (!cli_load(o, o->paths.at[0], &h, NULL))
        return EXIT_ERROR;
    bool ok = true;
    if (o->redact && strcmp(format->name, "jsonl") != 0) {
        ok = err_set(&err, ERR_USAGE, "--redact writes jsonl, not %s",
                     format->name);
    } else if (o->renumber && h.rows) {
        ok = err_set(&err, ERR_FEATURE,
                     "--renumber is not for rows, and the history has some");
    } else if (o->renumber) {
        struct history numbered;
        ok = history_rebuild_numbered(&h, &numbered, &err);
        if (ok) {
            history_free(&h);
            h = numbered;
        }
    }
    context_phase("writing");
    struct progress *progress = cli_write_progress(o);
    ok = ok && (o->redact ? redaction_write(&h, o->output, &err)
                          : format_write(&h, format, o->output, &err));
    progress_end(progress);
    if (ok && !o->quiet) {
        note_losses(&h, format);
        note_order(&h, format);
    }
    history_free(&h);
    return ok ? EXIT_HOLDS : cli_report_error(&err);
}
