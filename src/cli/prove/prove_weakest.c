/* prove_weakest.c -- assay prove --weakest: which levels are enough.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/prove/prove.h"

#include "program/assumptions.h"
#include "robust/weakest.h"

#include <string.h>

static const char *const verdicts[] = {[PROVE_PROVED] = "proved",
                                       [PROVE_ANOMALY] = "anomaly",
                                       [PROVE_UNKNOWN] = "unknown"};

/* "; not si: anomaly: f, g", if the level was tried and is not enough. */
static void
show_try(const struct weakest_try *t, enum level level, struct buf *out)
{
    if (t->tried && t->verdict != PROVE_PROVED)
        buf_printf(out, "\n  not %s: %s: %s", isolation_brief(level),
                   verdicts[t->verdict], t->why);
}

static void
show_text(const char *files, const struct program *p, const struct weakest *w,
          struct buf *out)
{
    const char *separator = " ";
    buf_printf(out, "%s: all functions:", files);
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        if (weakest_is_lowest(w, l)) {
            buf_printf(out, "%s%s", separator, isolation_brief(l));
            separator = ", ";
        }
    for (enum level l = LEVEL_SER; l >= LEVEL_RC; l--)
        show_try(&w->levels[l], l, out);
    buf_char(out, '\n');
    for (uint32_t f = 0; f < w->n; f++) {
        buf_printf(out, "%s: %s: %s", files, p->functions.at[f]->name,
                   isolation_brief(w->functions[f]));
        show_try(&w->at_si[f], LEVEL_SI, out);
        show_try(&w->at_rc[f], LEVEL_RC, out);
        buf_char(out, '\n');
    }
    struct buf assumes = {0};
    program_assumptions(p, &assumes);
    if (assumes.n)
        buf_printf(out, "%s: proved for %s\n", files, assumes.at);
    buf_free(&assumes);
}

static void
json_text(const char *name, const char *text, struct buf *out)
{
    buf_printf(out, ",\"%s\":", name);
    buf_json(out, text, strlen(text));
}

static void
json_try(const struct weakest_try *t, enum level level, const char **separator,
         struct buf *out)
{
    if (!t->tried)
        return;
    buf_printf(out, "%s{\"level\":\"%s\",\"verdict\":\"%s\"", *separator,
               isolation_brief(level), verdicts[t->verdict]);
    if (*t->why)
        json_text("why", t->why, out);
    buf_char(out, '}');
    *separator = ",";
}

static void
show_json(const char *files, const struct program *p, const struct weakest *w,
          struct buf *out)
{
    const char *separator = "";
    buf_text(out, "{\"program\":");
    buf_json(out, files, strlen(files));
    buf_text(out, ",\"weakest\":[");
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        if (weakest_is_lowest(w, l)) {
            buf_printf(out, "%s\"%s\"", separator, isolation_brief(l));
            separator = ",";
        }
    buf_text(out, "],\"results\":[");
    separator = "";
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        json_try(&w->levels[l], l, &separator, out);
    buf_text(out, "],\"functions\":[");
    for (uint32_t f = 0; f < w->n; f++) {
        buf_printf(out, "%s{\"level\":\"%s\"", f ? "," : "",
                   isolation_brief(w->functions[f]));
        json_text("function", p->functions.at[f]->name, out);
        buf_text(out, ",\"results\":[");
        separator = "";
        json_try(&w->at_rc[f], LEVEL_RC, &separator, out);
        json_try(&w->at_si[f], LEVEL_SI, &separator, out);
        buf_text(out, "]}");
    }
    buf_char(out, ']');
    struct buf assumes = {0};
    program_assumptions(p, &assumes);
    if (assumes.n)
        json_text("assumes", assumes.at, out);
    buf_free(&assumes);
    buf_text(out, "}\n");
}

/* Whether a level was tried without a result. */
static bool
is_unknown(const struct weakest_try *t)
{
    return t->tried && t->verdict == PROVE_UNKNOWN;
}

static bool
is_open(const struct weakest *w)
{
    bool open = false;
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        open = open || is_unknown(&w->levels[l]);
    for (uint32_t f = 0; f < w->n; f++)
        open = open || is_unknown(&w->at_rc[f]) || is_unknown(&w->at_si[f]);
    return open;
}

int
prove_show_weakest(const struct options *o, const struct program *p,
                   const struct search_limits *limits, const char *files)
{
    struct err err = {0};
    struct weakest w;
    struct buf out = {0};
    int status;
    if (weakest_find(p, limits, o->timeout, &w, &err)) {
        if (o->json)
            show_json(files, p, &w, &out);
        else
            show_text(files, p, &w, &out);
        o->json ? cli_emit(&out) : cli_emit_text(&out);
        status = is_open(&w) ? EXIT_UNKNOWN : EXIT_HOLDS;
    } else {
        status = cli_report_error(&err);
    }
    weakest_free(&w);
    buf_free(&out);
    return status;
}
