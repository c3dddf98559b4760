/* sides.c -- see sides.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/sides.h"

#include "report/parts.h"

#include <string.h>

/* --- HTML ----------------------------------------------------------------- */

static void
put_op(const struct sides_op *op, const char *text, bool is_new,
       struct buf *out)
{
    buf_text(out, "<td>");
    if (!text) {
        buf_text(out, "<span class=\"soft\">not part of it</span></td>");
        return;
    }
    const char *class = op->is_write ? "op w" : "op r";
    if (op->is_changed)
        buf_printf(out, "<%s class=\"%s changed\">", is_new ? "mark" : "s",
                   class);
    part_xml(out, text);
    if (op->is_changed)
        buf_text(out, is_new ? "</mark>" : "</s>");
    buf_text(out, "</td>");
}

static void
put_txn(const struct sides_txn *t, struct buf *out)
{
    buf_text(out, "<tr class=\"who\"><th colspan=\"2\" scope=\"rowgroup\">");
    part_xml(out, t->name);
    buf_text(out, " <span class=\"soft\">session ");
    part_xml(out, t->session);
    buf_text(out, t->is_changed ? " \xc2\xb7 reads something else</span></th>"
                                : "</span></th>");
    buf_text(out, "</tr>");
    for (size_t i = 0; i < t->n_ops; i++) {
        const struct sides_op *op = &t->ops[i];
        buf_printf(out, "<tr%s>", op->is_changed ? " class=\"changed\"" : "");
        put_op(op, op->observed, false, out);
        put_op(op, op->predicted, true, out);
        buf_text(out, "</tr>");
    }
    if (t->elided)
        buf_printf(out,
                   "<tr><td colspan=\"2\" class=\"soft\">+ %zu more "
                   "operation%s, the same in both</td></tr>",
                   t->elided, t->elided == 1 ? "" : "s");
}

/* A paragraph for each line. */
static void
put_paragraphs(const char *text, const char *class, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        struct buf line = {0};
        buf_add(&line, text, n);
        buf_printf(out, "<p class=\"%s\">", class);
        part_xml(out, n ? line.at : "");
        buf_text(out, "</p>");
        buf_free(&line);
        text += n + (text[n] == '\n');
    }
}

void
sides_html(const struct report_sides *s, struct buf *out)
{
    buf_text(out, "<section class=\"predicted\"><h3>What was observed, and "
                  "what could be</h3>");
    put_paragraphs(s->premise, "story", out);
    buf_text(out, "<table class=\"sides mono\"><thead><tr><th scope=\"col\">"
                  "observed</th><th scope=\"col\">could be</th></tr></thead>"
                  "<tbody>");
    for (size_t i = 0; i < s->n_txns; i++)
        put_txn(&s->txns[i], out);
    buf_text(out, "</tbody></table>");
    put_paragraphs(s->notes, "soft", out);
    put_paragraphs(s->prevention, "prevention", out);
    buf_text(out, "</section>\n");
}

/* --- Markdown ------------------------------------------------------------- */

static void
put_cell(const char *text, bool is_changed, struct buf *out)
{
    buf_text(out, is_changed ? " **" : " ");
    part_markdown(out, text ? text : "-");
    buf_text(out, is_changed ? "** |" : " |");
}

/* A paragraph for each line. */
static void
put_lines(const char *text, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        struct buf line = {0};
        buf_add(&line, text, n);
        part_markdown(out, n ? line.at : "");
        buf_text(out, "\n\n");
        buf_free(&line);
        text += n + (text[n] == '\n');
    }
}

void
sides_markdown(const struct report_sides *s, struct buf *out)
{
    put_lines(s->premise, out);
    buf_text(out, "| transaction | observed | could be |\n"
                  "| --- | --- | --- |\n");
    for (size_t i = 0; i < s->n_txns; i++) {
        const struct sides_txn *t = &s->txns[i];
        for (size_t j = 0; j < t->n_ops; j++) {
            buf_char(out, '|');
            put_cell(j ? "" : t->name, false, out);
            put_cell(t->ops[j].observed, false, out);
            put_cell(t->ops[j].predicted, t->ops[j].is_changed, out);
            buf_char(out, '\n');
        }
        if (t->elided)
            buf_printf(out, "| | + %zu more | |\n", t->elided);
    }
    buf_char(out, '\n');
    put_lines(s->notes, out);
    put_lines(s->prevention, out);
}
