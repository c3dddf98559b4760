/* prove_report.c -- text and JSON, and the sink; see prove_report.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/prove/prove_report.h"

#include "base/json.h"
#include "prove/robust/anomaly/story.h"
#include "report/prove/level_words.h"
#include "report/prove/prove_formats.h"

#include <string.h>

const char *
prove_verdict_name(enum prove_verdict v)
{
    static const char *const names[] = {[PROVE_PROVED] = "proved",
                                        [PROVE_ANOMALY] = "anomaly",
                                        [PROVE_UNKNOWN] = "unknown"};
    return names[v];
}

/* --- text -----------------------------------------------------------------*/

static void
begin_nothing(struct prove_report *to)
{
    (void)to;
}

static bool
add_text(struct prove_report *to, const struct prove_shown *r, struct err *err)
{
    (void)err;
    buf_printf(&to->out, "%s: %s: %s: %s\n", to->files, r->levels, r->verdict,
               r->about);
    if (r->finding && !to->style.verdicts_only) {
        struct story story;
        story_init(&story, r->finding);
        story_text(&story, &to->out);
        story_free(&story);
    }
    return true;
}

const struct prove_format prove_text = {"text", false, begin_nothing, add_text,
                                        begin_nothing};

/* --- JSON -----------------------------------------------------------------*/

static void
begin_json(struct prove_report *to)
{
    json_object(&to->out, NULL);
    json_text(&to->out, "program", to->files);
    json_u64(&to->out, "functions", to->program->functions.n);
    json_array(&to->out, "results");
}

/* The functions that are not understood. */
static void
put_refused(const struct program *p, struct buf *out)
{
    if (!p->refused.n)
        return;
    json_array(out, "refused");
    for (size_t i = 0; i < p->refused.n; i++) {
        const struct function_refusal *r = &p->refused.at[i];
        json_object(out, NULL);
        json_u64(out, "line", r->line);
        json_text(out, "function", r->function);
        json_text(out, "file", r->file);
        json_text(out, "reason", r->reason);
        json_object_end(out);
    }
    json_array_end(out);
}

static bool
add_json(struct prove_report *to, const struct prove_shown *r, struct err *err)
{
    struct buf *out = &to->out;
    (void)err;
    json_object(out, NULL);
    level_words_json(r->choice, r->program, out);
    json_text(out, "verdict", r->verdict);
    json_fixed(out, "seconds", r->result->seconds, 3);
    if (*r->result->assumes)
        json_text(out, "assumes", r->result->assumes);
    if (r->finding) {
        struct story story;
        story_init(&story, r->finding);
        json_key(out, "anomaly");
        story_json(&story, out);
        story_free(&story);
    }
    if (r->result->verdict == PROVE_UNKNOWN)
        json_text(out, "reason", r->result->reason);
    put_refused(r->program, out);
    if (r->repairs->n)
        json_raw(out, NULL, r->repairs->at, r->repairs->n);
    json_object_end(out);
    return true;
}

static void
end_json(struct prove_report *to)
{
    json_array_end(&to->out);
    json_end_line(&to->out);
}

const struct prove_format prove_json = {"json", false, begin_json, add_json,
                                        end_json};

/* --- the sink -------------------------------------------------------------*/

static const struct prove_format *
find_format(const char *name)
{
    static const struct prove_format *const all[] = {
        &prove_text,  &prove_json,  &prove_markdown,
        &prove_sarif, &prove_junit, &prove_html};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

bool
prove_report_has(const char *format)
{
    return find_format(format) != NULL;
}

void
prove_report_begin(struct prove_report *to, const char *format,
                   const struct report_style *style,
                   const struct program *program, const char *files)
{
    *to = (struct prove_report){.format = find_format(format),
                                .style = *style,
                                .program = program,
                                .files = files};
    assert(to->format);
    to->format->begin(to);
}

bool
prove_report_is_text(const struct prove_report *to)
{
    return to->format == &prove_text;
}

bool
prove_report_explains(const struct prove_report *to)
{
    return to->format->explains;
}

/* The text after the verdict. */
static void
put_about(const struct program *p, const struct prove_result *r,
          const struct finding *f, struct buf *out)
{
    if (r->verdict == PROVE_PROVED)
        buf_printf(out, "every execution of %zu program%s is serializable",
                   p->functions.n, p->functions.n == 1 ? "" : "s");
    if (*r->assumes)
        buf_printf(out, ", for %s", r->assumes);
    for (uint32_t i = 0; f && i < f->n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", f->members[i].function->name);
    if (f && f->graph)
        buf_text(out, " (a cycle of dependencies)");
    if (r->verdict == PROVE_UNKNOWN)
        buf_text(out, r->reason);
}

static bool
add_one(struct prove_report *to, const struct prove_level_result *r,
        const struct finding *f, const struct explanation *e, struct err *err)
{
    struct buf about = {0}, words = {0};
    const bool apart = to->format == &prove_text || to->format == &prove_json;
    put_about(to->program, r->result, f, &about);
    if (!apart)
        buf_add(&about, r->repairs->at, r->repairs->n);
    level_words_show(r->levels, to->program, &words);
    const struct prove_shown shown = {
        .choice = r->levels,
        .result = r->result,
        .repairs = r->repairs,
        .levels = words.at,
        .verdict = prove_verdict_name(r->result->verdict),
        .about = about.n ? about.at : "",
        .program = to->program,
        .finding = f,
        .explanation = e};
    const bool ok = to->format->add(to, &shown, err);
    to->n++;
    buf_free(&about);
    buf_free(&words);
    return ok;
}

bool
prove_report_add(struct prove_report *to, const struct prove_level_result *r,
                 struct err *err)
{
    const size_t n = r->each->all.n;
    const struct finding *alone =
        r->result->verdict == PROVE_ANOMALY ? &r->result->finding : NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < (n ? n : 1); i++)
        ok = add_one(to, r, n ? r->each->all.at[i] : alone,
                     r->explanations ? &r->explanations[i] : NULL, err);
    if (ok && to->format == &prove_text)
        buf_add(&to->out, r->repairs->at, r->repairs->n);
    return ok;
}

void
prove_report_end(struct prove_report *to)
{
    to->format->end(to);
}

void
prove_report_free(struct prove_report *to)
{
    buf_free(&to->out);
    buf_free(&to->cases);
}
