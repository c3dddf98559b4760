/* prove_weakest.c -- assay prove --weakest: which levels are enough.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/assumptions.h"
#include "report/prove/level_words.h"
#include "report/prove/prove_report.h"

#include <string.h>

/* "; not si: anomaly: f, g", if the level was tried and is not enough. */
static void
show_try(const struct weakest_try *t, enum level level, struct buf *out)
{
    if (t->tried && t->verdict != PROVE_PROVED)
        buf_printf(out, "\n  not %s: %s: %s", level_words_brief(level),
                   prove_verdict_name(t->verdict), t->why);
}

static void
show_text(const char *files, const struct program *p, const struct weakest *w,
          struct buf *out)
{
    const char *separator = " ";
    buf_printf(out, "%s: all functions:", files);
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        if (weakest_is_lowest(w, l)) {
            buf_printf(out, "%s%s", separator, level_words_brief(l));
            separator = ", ";
        }
    for (enum level l = LEVEL_SER; l >= LEVEL_RC; l--)
        show_try(&w->levels[l], l, out);
    buf_char(out, '\n');
    for (uint32_t f = 0; f < w->n; f++) {
        buf_printf(out, "%s: %s: %s", files, p->functions.at[f]->name,
                   level_words_brief(w->functions[f]));
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
               level_words_brief(level), prove_verdict_name(t->verdict));
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
            buf_printf(out, "%s\"%s\"", separator, level_words_brief(l));
            separator = ",";
        }
    buf_text(out, "],\"results\":[");
    separator = "";
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        json_try(&w->levels[l], l, &separator, out);
    buf_text(out, "],\"functions\":[");
    for (uint32_t f = 0; f < w->n; f++) {
        buf_printf(out, "%s{\"level\":\"%s\"", f ? "," : "",
                   level_words_brief(w->functions[f]));
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

void
prove_report_weakest(const struct program *p, const char *files,
                     const struct weakest *w, bool json, struct buf *out)
{
    (json ? show_json : show_text)(files, p, w, out);
}
