/* prove_page.c -- anomalies of programs in a page; see prove_report.h.
 *
 * The picture shows the history of the anomaly, explained like any other
 * history.  Beside it is the source: the functions of the anomaly, and
 * for each line that ran, the transactions that ran it.
 *
 * SPDX-License-Identifier: MIT */
#include "report/prove/prove_formats.h"

#include "format/input.h"
#include "prove/robust/anomaly/story.h"
#include "report/page/card.h"
#include "report/parts.h"

#include <string.h>

/* --- source ---------------------------------------------------------------*/

/* The first line after a function: the line of the next function in its file,
 * or the end. */
static uint32_t
end_of(const struct program *p, const struct function *f)
{
    uint32_t end = UINT32_MAX;
    for (size_t i = 0; i < p->functions.n; i++) {
        const struct function *g = p->functions.at[i];
        if (strcmp(f->file, g->file) == 0 && g->line > f->line && g->line < end)
            end = g->line;
    }
    return end;
}

/* Which members ran a statement of this line. */
static void
put_runners(const struct story *s, const struct function *f, uint32_t line,
            struct buf *out)
{
    for (uint32_t m = 0; m < s->finding->n; m++) {
        bool ran = false;
        for (size_t i = 0; i < s->steps.n; i++)
            ran = ran ||
                  (s->steps.at[i].member == m && s->steps.at[i].line == line);
        if (ran && s->finding->members[m].function == f)
            buf_printf(out, "%sT%u", out->n ? " " : "", m + 1);
    }
}

static void
put_line(const struct story *s, const struct function *f, uint32_t line,
         const char *text, size_t len, struct buf *out)
{
    struct buf who = {0};
    char *const copy = mem_alloc(len + 1, 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    put_runners(s, f, line, &who);
    buf_printf(out,
               "<span class=\"line%s\"><i>%u</i><span class=\"who\">%s</span>",
               who.n ? " ran" : "", line, who.n ? who.at : "");
    part_xml(out, copy);
    buf_text(out, "\n</span>");
    mem_free(copy);
    buf_free(&who);
}

static bool
put_function(const struct story *s, const struct function *f, struct buf *out,
             struct err *err)
{
    const struct program *p = s->finding->interleaving.program;
    const uint32_t end = end_of(p, f);
    struct input in;
    if (!input_open(&in, f->file, err))
        return false;
    buf_text(out, "<h3>");
    part_xml(out, f->name);
    buf_text(out, ", ");
    part_xml(out, f->file);
    buf_text(out, "</h3><pre class=\"source\" tabindex=\"0\">");
    const char *at = in.data, *stop = in.data + in.size;
    for (uint32_t line = 1; at < stop && line < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        const char *next = newline ? newline : stop;
        if (line >= f->line && (next > at || line + 1 < end))
            put_line(s, f, line, at, (size_t)(next - at), out);
        at = next + 1;
    }
    buf_text(out, "</pre>");
    input_close(&in);
    return true;
}

/* The functions of the members, each once. */
static bool
put_sources(const struct story *s, struct buf *out, struct err *err)
{
    const struct finding *f = s->finding;
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->n; i++) {
        bool again = false;
        for (uint32_t j = 0; j < i; j++)
            again = again || f->members[i].function == f->members[j].function;
        if (!again)
            ok = put_function(s, f->members[i].function, out, err);
    }
    return ok;
}

/* --- the page -------------------------------------------------------------*/

static bool
put_anomaly(const struct prove_shown *r, const char *id, struct buf *out,
            struct err *err)
{
    struct story story;
    struct buf text = {0};
    story_init(&story, r->finding);
    story_text(&story, &text);
    buf_text(out, "<div class=\"program\"><div>");
    bool ok = put_sources(&story, out, err);
    buf_text(out, "</div><div><pre class=\"source story\" tabindex=\"0\">");
    part_xml(out, text.at);
    buf_text(out, "</pre></div></div>\n");
    if (ok && r->explanation)
        card_html(&r->explanation->anomalies.at[0], &(struct picture_clock){0},
                  id, level_bit(LEVEL_TARGET), true, out);
    buf_free(&text);
    story_free(&story);
    return ok;
}

static void
begin_page(struct prove_report *to)
{
    report_begin(&to->page, report_find("html"), &to->style);
    buf_text(&to->page.out, "<h2>");
    part_xml(&to->page.out, to->files);
    buf_text(&to->page.out, "</h2>\n");
}

static bool
add_to_page(struct prove_report *to, const struct prove_shown *r,
            struct err *err)
{
    struct buf *out = &to->page.out;
    const bool proved = strcmp(r->verdict, "proved") == 0;
    struct buf id = {0};
    buf_printf(&id, "p%zu", to->n + 1);
    const char *verdict = proved ? "ok" : r->finding ? "violated" : "unknown";
    buf_printf(out,
               "<section class=\"run\" data-verdict=\"%s\"><p><span "
               "class=\"chip %s\">",
               verdict, verdict);
    buf_printf(out, "%s</span> ", r->verdict);
    part_xml(out, r->levels);
    buf_text(out, ": ");
    part_xml(out, r->about);
    buf_text(out, "</p>\n");
    const bool ok = !r->finding || put_anomaly(r, id.at, out, err);
    buf_text(out, "</section>\n");
    buf_free(&id);
    return ok;
}

static void
end_page(struct prove_report *to)
{
    report_end(&to->page);
    buf_add(&to->out, to->page.out.at, to->page.out.n);
    report_free(&to->page);
}

const struct prove_format prove_html = {"html", true, begin_page, add_to_page,
                                        end_page};
