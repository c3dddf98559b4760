/* cmd_test.c -- assay test: run a workload, check its history, tell.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/fieldwork.h"
#include "cli/inspect.h"
#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the history goes: the file to keep, or one that is removed. */
struct place {
    struct buf path;
    bool is_temporary;
};

static bool
place_open(const struct options *o, struct place *p, struct err *err)
{
    *p = (struct place){.is_temporary = !o->keep};
    if (o->keep) {
        buf_text(&p->path, o->keep);
        return true;
    }
    const char *parent = getenv("TMPDIR");
    buf_printf(&p->path, "%s/assay-XXXXXX",
               parent && *parent ? parent : "/tmp");
    const int fd = mkstemp(p->path.at);
    if (fd >= 0 && close(fd) == 0)
        return true;
    p->is_temporary = false;
    return err_set(err, ERR_IO, "cannot make a temporary file: %s",
                   strerror(errno));
}

static void
place_close(struct place *p)
{
    if (p->is_temporary)
        unlink(p->path.at);
    buf_free(&p->path);
}

/* Check what was recorded and show the result. */
static int
judge(const struct options *o, const struct inspect_options *how,
      const struct report_format *format, const struct place *place,
      const char *shown, struct err *err)
{
    const struct report_style style = {
        .version = ASSAY_VERSION,
        .colour = colour_on_stdout(),
        .verdicts_only = o->quiet,
    };
    struct inspection i;
    if (!inspect(o, how, place->path.at, &i, err))
        return report_error(err);
    i.path = shown;
    struct buf out = {0};
    const struct report_run run = inspection_run(&i);
    if (format->begin)
        format->begin(&style, &out);
    format->add(&run, &style, &out);
    if (format->end)
        format->end(&style, &out);
    emit(&out);
    buf_free(&out);
    const int status = exit_of_check(&i.check);
    inspection_free(&i);
    return status;
}

int
cmd_test(const struct options *o)
{
    struct err err = {0};
    struct inspect_options how;
    const struct report_format *format;
    struct fieldwork f;
    struct place place;
    if (!inspect_options(o, &how, &err) || !choose_report(o, &format, &err) ||
        !fieldwork_begin(o, &f, &err))
        return report_error(&err);
    bool ok = place_open(o, &place, &err);
    ok = ok && fieldwork_run(&f, place.path.at, &err);
    // What is not text belongs to whoever reads it, alone.
    if (f.stats.seconds > 0 && !o->quiet)
        fieldwork_show(&f, strcmp(format->name, "text") == 0 ? stdout : stderr);
    const int status =
        ok ? judge(o, &how, format, &place, o->keep ? o->keep : f.name, &err)
           : report_error(&err);
    place_close(&place);
    fieldwork_end(&f);
    return status;
}
