/* prove_formats.c -- Markdown and SARIF; see prove_report.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/prove/prove_formats.h"

#include "prove/robust/anomaly/story.h"
#include "report/parts.h"
#include "report/sarif_parts.h"

#include <string.h>

/* --- Markdown -------------------------------------------------------------*/

static void
begin_markdown(struct prove_report *to)
{
    buf_text(&to->out, "## ");
    part_markdown(&to->out, to->files);
    buf_char(&to->out, '\n');
}

static bool
add_markdown(struct prove_report *to, const struct prove_shown *r,
             struct err *err)
{
    (void)err;
    buf_text(&to->out, "\n### ");
    part_markdown(&to->out, r->levels);
    buf_printf(&to->out, ": %s\n\n", r->verdict);
    part_markdown(&to->out, r->about);
    buf_char(&to->out, '\n');
    if (r->finding && !to->style.verdicts_only) {
        struct story story;
        story_init(&story, r->finding);
        // The fence cannot end early: every line of a story is indented.
        buf_text(&to->out, "\n```text\n");
        story_text(&story, &to->out);
        buf_text(&to->out, "```\n");
        story_free(&story);
    }
    return true;
}

static void
end_nothing(struct prove_report *to)
{
    (void)to;
}

const struct prove_format prove_markdown = {"markdown", false, begin_markdown,
                                            add_markdown, end_nothing};

/* --- SARIF ----------------------------------------------------------------*/

#define RULE "not-serializable"

static void
put_place(const char *file, uint32_t line, const char *message, struct buf *out)
{
    sarif_begin_location(file, line, out);
    if (message)
        sarif_message("message", message, out);
    json_object_end(out);
}

static const char *
file_of(const struct finding *f, uint32_t member)
{
    return f->members[member].function->file;
}

/* The statements that read what others change; if no edge is known, the
 * functions. */
static void
put_places(const struct story *s, struct buf *out)
{
    const struct finding *f = s->finding;
    json_array(out, "locations");
    const bool edges = s->edges.n > 0;
    put_place(file_of(f, edges ? s->edges.at[0].from : 0),
              edges ? s->edges.at[0].read_line : f->members[0].function->line,
              NULL, out);
    json_array_end(out);
    json_array(out, "relatedLocations");
    for (size_t i = 0; i < s->edges.n; i++) {
        const struct story_edge *e = &s->edges.at[i];
        struct buf text = {0};
        buf_printf(&text, "T%u reads %s, which T%u changes in line %u",
                   e->from + 1, e->what, e->to + 1, e->write_line);
        put_place(file_of(f, e->from), e->read_line, text.at, out);
        buf_free(&text);
    }
    json_array_end(out);
}

static void
put_flow(const struct story *s, struct buf *out)
{
    sarif_begin_flow(out);
    for (size_t i = 0; i < s->steps.n; i++) {
        const struct story_step *step = &s->steps.at[i];
        if (!step->line)
            continue;
        struct buf text = {0};
        buf_printf(&text, "T%u: %s%s%s%s", step->member + 1,
                   *step->sql ? step->sql : "returns",
                   *step->seen ? " -> " : "", step->seen,
                   step->kind == STORY_WAIT ? " (waits)" : "");
        json_object(out, NULL);
        json_key(out, "location");
        put_place(file_of(s->finding, step->member), step->line, text.at, out);
        json_object_end(out);
        buf_free(&text);
    }
    sarif_end_flow(out);
}

static void
put_anomaly(const struct prove_shown *r, struct buf *out)
{
    struct story story;
    struct buf text = {0};
    story_init(&story, r->finding);
    buf_printf(&text, "%s: not serializable: %s\n\n", r->levels, r->about);
    story_text(&story, &text);
    json_text(out, "level", "error");
    sarif_message("message", text.at, out);
    put_places(&story, out);
    put_flow(&story, out);
    buf_free(&text);
    story_free(&story);
}

static void
put_verdict(const struct prove_shown *r, struct buf *out)
{
    struct buf text = {0};
    const bool proved = strcmp(r->verdict, "proved") == 0;
    const struct function *f = r->program->functions.at[0];
    buf_printf(&text, "%s: %s: %s", r->levels, r->verdict, r->about);
    json_text(out, "kind", proved ? "pass" : "open");
    json_text(out, "level", "none");
    sarif_message("message", text.at, out);
    json_array(out, "locations");
    put_place(f->file, f->line, NULL, out);
    json_array_end(out);
    buf_free(&text);
}

static void
begin_sarif(struct prove_report *to)
{
    sarif_begin(to->style.version, &to->out);
    sarif_rule(RULE, "an execution that no serial order explains",
               "At this isolation level the transactions can see or leave what "
               "they could not if they ran one after the other.",
               "error", &to->out);
    sarif_begin_results(&to->out);
}

static bool
add_sarif(struct prove_report *to, const struct prove_shown *r, struct err *err)
{
    (void)err;
    sarif_begin_result(to->n == 0, &to->out);
    json_text(&to->out, "ruleId", RULE);
    (r->finding ? put_anomaly : put_verdict)(r, &to->out);
    sarif_isolation(r->levels, &to->out);
    json_object_end(&to->out);
    return true;
}

static void
end_sarif(struct prove_report *to)
{
    sarif_end(&to->out);
}

const struct prove_format prove_sarif = {"sarif", false, begin_sarif, add_sarif,
                                         end_sarif};
