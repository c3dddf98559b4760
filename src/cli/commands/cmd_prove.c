/* cmd_prove.c -- assay prove: do these SQL programs stay serializable?
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "program/read.h"
#include "robust/prove.h"
#include "robust/story.h"

#include <string.h>

static const char *const verdicts[] = {[PROVE_PROVED] = "proved",
                                       [PROVE_ANOMALY] = "anomaly",
                                       [PROVE_UNKNOWN] = "unknown"};

/* The files as they were given, separated by spaces. */
static void
show_paths(const struct options *o, struct buf *out)
{
    for (size_t i = 0; i < o->paths.n; i++)
        buf_printf(out, "%s%s", i ? " " : "", o->paths.at[i]);
}

static void
show_text(const struct options *o, const struct program *p,
          const struct prove_result *r, const struct story *story,
          struct buf *out)
{
    show_paths(o, out);
    buf_printf(out, ": %s: %s", level_table[r->level].name,
               verdicts[r->verdict]);
    if (r->verdict == PROVE_PROVED)
        buf_printf(out, ": every execution of %zu program%s is serializable",
                   p->functions.n, p->functions.n == 1 ? "" : "s");
    if (r->verdict == PROVE_ANOMALY)
        for (uint32_t i = 0; i < r->finding.n; i++)
            buf_printf(out, "%s%s", i ? ", " : ": ",
                       r->finding.members[i].function->name);
    if (r->verdict == PROVE_UNKNOWN)
        buf_printf(out, ": %s", r->reason);
    buf_char(out, '\n');
    if (story && !o->quiet)
        story_text(story, out);
}

static void
show_json(const struct prove_result *r, const struct story *story,
          struct buf *out)
{
    buf_printf(out, "{\"level\":\"%s\",\"verdict\":\"%s\",\"seconds\":%.3f",
               level_table[r->level].brief, verdicts[r->verdict], r->seconds);
    if (story) {
        buf_text(out, ",\"anomaly\":");
        story_json(story, out);
    }
    if (r->verdict == PROVE_UNKNOWN) {
        buf_text(out, ",\"reason\":");
        buf_json(out, r->reason, strlen(r->reason));
    }
    buf_char(out, '}');
}

/* Write the script that plays the anomaly. */
static bool
write_schedule(const struct options *o, const struct prove_result *r,
               const struct story *story, struct err *err)
{
    if (!story) {
        fprintf(stderr, "note: no schedule: there is no anomaly\n");
        return true;
    }
    if (r->level != LEVEL_RC && r->level != LEVEL_SI)
        return err_set(err, ERR_USAGE,
                       "--schedule wants rc or si, which PostgreSQL has");
    struct buf text = {0};
    story_script(story, &text);
    FILE *file = fopen(o->schedule, "wb");
    bool ok = file && fwrite(text.at, 1, text.n, file) == text.n;
    ok = (!file || fclose(file) == 0) && ok;
    buf_free(&text);
    return ok || (err_set(err, ERR_IO, "cannot write"),
                  err_in_file(err, o->schedule));
}

static int
prove_one(const struct options *o, const struct program *p, enum level level,
          struct buf *out)
{
    struct err err = {0};
    struct prove_result r;
    struct search_limits limits = {
        (uint32_t)o->members, 3, 20, {.memory = o->memory}};
    if (o->timeout > 0)
        limits.all.deadline = time_now() + o->timeout;
    const bool ok =
        o->sequence ? prove_sequence(p, level, o->sequence, &limits, &r, &err)
                    : prove_level(p, level, &limits, &r, &err);
    if (!ok) {
        prove_free(&r);
        return cli_report_error(&err);
    }
    struct story story;
    const bool told = r.verdict == PROVE_ANOMALY;
    if (told)
        story_init(&story, &r.finding);
    if (o->json)
        show_json(&r, told ? &story : NULL, out);
    else
        show_text(o, p, &r, told ? &story : NULL, out);
    int status = r.verdict == PROVE_PROVED    ? EXIT_HOLDS
                 : r.verdict == PROVE_ANOMALY ? EXIT_VIOLATED
                                              : EXIT_UNKNOWN;
    if (o->schedule && !write_schedule(o, &r, told ? &story : NULL, &err))
        status = cli_report_error(&err);
    if (told)
        story_free(&story);
    prove_free(&r);
    return status;
}

/* The levels of a comma-separated list. */
static bool
parse_levels(const char *text, enum level *levels, size_t *n, struct err *err)
{
    *n = 0;
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, ",");
        if (*n == LEVELS)
            return err_set(err, ERR_USAGE, "too many levels");
        if (!prove_parse_level(at, len, &levels[(*n)++], err))
            return false;
        at += len;
        if (!*at)
            return true;
    }
}

static int
prove_levels(const struct options *o, const struct program *p,
             const enum level *levels, size_t n)
{
    int status = EXIT_HOLDS;
    struct buf out = {0};
    if (o->json) {
        struct buf paths = {0};
        show_paths(o, &paths);
        buf_text(&out, "{\"program\":");
        buf_json(&out, paths.at, paths.n);
        buf_printf(&out, ",\"functions\":%zu,\"results\":[", p->functions.n);
        buf_free(&paths);
    }
    for (size_t i = 0; i < n; i++) {
        if (o->json && i)
            buf_char(&out, ',');
        status = cli_exit_worse(status, prove_one(o, p, levels[i], &out));
        if (!o->json)
            cli_emit(&out);
    }
    if (o->json)
        buf_text(&out, "]}\n");
    cli_emit(&out);
    buf_free(&out);
    return status;
}

int
cmd_prove(const struct options *o)
{
    struct err err = {0};
    enum level levels[LEVELS];
    size_t n;
    if (!o->paths.n)
        return cli_usage_error(
            "prove wants SQL files; see 'assay prove --help'");
    if (!o->level)
        return cli_usage_error(
            "prove wants a level, as in 'assay prove -l si'");
    if (!parse_levels(o->level, levels, &n, &err))
        return cli_report_error(&err);
    if (o->schedule && n != 1)
        return cli_usage_error("--schedule wants one level, and there are %zu",
                               n);
    struct program p = {0};
    const int status = program_read(&p, o->paths.at, o->paths.n, &err)
                           ? prove_levels(o, &p, levels, n)
                           : cli_report_error(&err);
    program_free(&p);
    return status;
}
