/* prove_weakest.c -- assay prove --weakest: which levels are enough.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "prove/program/assumptions.h"
#include "report/prove/level_words.h"
#include "report/prove/prove_report.h"

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
put_try(const struct weakest_try *t, enum level level, struct buf *out)
{
    if (!t->tried)
        return;
    json_object(out, NULL);
    json_text(out, "level", level_words_brief(level));
    json_text(out, "verdict", prove_verdict_name(t->verdict));
    if (*t->why)
        json_text(out, "why", t->why);
    json_object_end(out);
}

static void
put_function(const struct program *p, const struct weakest *w, uint32_t f,
             struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "level", level_words_brief(w->functions[f]));
    json_text(out, "function", p->functions.at[f]->name);
    json_array(out, "results");
    put_try(&w->at_rc[f], LEVEL_RC, out);
    put_try(&w->at_si[f], LEVEL_SI, out);
    json_array_end(out);
    json_object_end(out);
}

static void
show_json(const char *files, const struct program *p, const struct weakest *w,
          struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "program", files);
    json_array(out, "weakest");
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        if (weakest_is_lowest(w, l))
            json_text(out, NULL, level_words_brief(l));
    json_array_end(out);
    json_array(out, "results");
    for (enum level l = LEVEL_RC; l <= LEVEL_SER; l++)
        put_try(&w->levels[l], l, out);
    json_array_end(out);
    json_array(out, "functions");
    for (uint32_t f = 0; f < w->n; f++)
        put_function(p, w, f, out);
    json_array_end(out);
    struct buf assumes = {0};
    program_assumptions(p, &assumes);
    if (assumes.n)
        json_text(out, "assumes", assumes.at);
    buf_free(&assumes);
    json_end_line(out);
}

void
prove_report_weakest(const struct program *p, const char *files,
                     const struct weakest *w, bool json, struct buf *out)
{
    (json ? show_json : show_text)(files, p, w, out);
}
