/* cmd_distinguish.c -- assay distinguish: what one level allows and another
 * one forbids, by the smallest example.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/output_format.h"
#include "level/names.h"
#include "pipeline/distinguish.h"

#include <inttypes.h>
#include <string.h>

/* The one level that a word names. */
static bool
take_level(const char *word, enum level *out, struct err *err)
{
    level_set set;
    if (!level_parse_list(word, true, &set, err))
        return false;
    if (set & LEVEL_SET_ALL || set & (set - 1))
        return err_set(err, ERR_USAGE,
                       "distinguish takes two levels, one word each, not '%s'",
                       word);
    *out = level_lowest(set);
    return true;
}

/* Say what was found, or that there is nothing. */
static int
show_end(const struct distinguish *d, const struct distinguish_result *r)
{
    const char *allows = level_table[d->allows].title;
    const char *forbids = level_table[d->forbids].title;
    switch (r->end) {
    case DISTINGUISH_FOUND:
        printf("The smallest history that %s allows and %s forbids has %" PRIu32
               " operation%s in %" PRIu32 " transaction%s:\n\n",
               allows, forbids, r->operations, r->operations == 1 ? "" : "s",
               r->transactions, r->transactions == 1 ? "" : "s");
        return EXIT_HOLDS;
    case DISTINGUISH_IMPLIED:
        printf("No history: %s implies %s.\n", allows, forbids);
        return EXIT_VIOLATED;
    case DISTINGUISH_NONE:
        printf("No history with at most %" PRIu32
               " operations: %s allows none that %s forbids.\n",
               d->most, allows, forbids);
        return EXIT_UNKNOWN;
    case DISTINGUISH_NOTHING:
        break;
    }
    return EXIT_ERROR;
}

/* Show the file that was written, as text. */
static bool
show_file(const char *path, struct err *err)
{
    struct history h;
    fflush(stdout);
    const bool ok = format_read(path, "auto", 1, &h, NULL, err) &&
                    format_write(&h, format_find("hist"), "-", err);
    if (ok)
        history_free(&h);
    printf("\n");
    return ok;
}

/* Check the history as 'assay check' does, for its verdicts and explanation. */
static int
explain(const struct options *o, const struct distinguish *d, const char *name)
{
    struct options checked = *o;
    struct inspect inspect;
    struct err err = {0};
    struct buf levels = {0};
    buf_printf(&levels, "%s,%s", level_table[d->allows].brief,
               level_table[d->forbids].brief);
    checked.level = levels.at;
    int status;
    if (!inspect_begin(&checked, o->report, false, &inspect, &err)) {
        status = cli_report_error(&err);
    } else {
        status = inspect_file(&inspect, d->file->path.at, name);
        status = inspect_end(&inspect, status);
    }
    buf_free(&levels);
    return status;
}

static int
run(const struct options *o, struct distinguish *d, const char *name)
{
    struct distinguish_result result;
    struct err err = {0};
    if (!distinguish_levels(d, &result, &err))
        return cli_report_error(&err);
    const int status = show_end(d, &result);
    if (result.end != DISTINGUISH_FOUND)
        return status;
    if (!show_file(d->file->path.at, &err))
        return cli_report_error(&err);
    // The forbidden level is violated, as it has to be.
    return !o->explain || explain(o, d, name) == EXIT_VIOLATED ? status
                                                               : EXIT_ERROR;
}

int
cmd_distinguish(const struct options *o)
{
    struct distinguish d = {.most = (uint32_t)o->max_ops,
                            .session_order = o->session_order};
    struct err err = {0};
    struct history_file file;
    const char *keep = strcmp(o->output, "-") == 0 ? NULL : o->output;
    if (o->paths.n != 2)
        return cli_usage_error("distinguish needs two levels: the one that "
                               "allows, and the one that forbids");
    if (!take_level(o->paths.at[0], &d.allows, &err) ||
        !take_level(o->paths.at[1], &d.forbids, &err) ||
        !output_format_choose(NULL, keep ? keep : "x.hist", &d.format, &err) ||
        !history_file_open(&file, keep, &err))
        return cli_report_error(&err);
    d.file = &file;
    const int status = run(o, &d, keep ? keep : "example");
    history_file_close(&file);
    return status;
}
