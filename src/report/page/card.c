/* card.c -- see card.h.
 *
 * Elements for a transaction have the attribute data-txn, elements for an edge
 * data-edge.  The values are the same in all views, so the script (page.js) can
 * link them.  The filter searches in data-find.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/card.h"

#include "format/jsonl/jsonl.h"
#include "report/parts.h"
#include "report/picture/picture.h"

#include <string.h>

enum { MOST_OPS = 2000 }; // the largest reduced history shown in the page

/* --- what the filter finds
 * --------------------------------------------------*/

static void
put_lower(const char *text, struct buf *out)
{
    struct buf lower = {0};
    for (; *text; text++)
        buf_char(&lower,
                 *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text);
    part_xml(out, lower.n ? lower.at : "");
    buf_free(&lower);
}

static void
put_terms(const struct anomaly_txn *t, struct buf *out)
{
    put_lower(t->name, out);
    if (!t->is_init) {
        buf_text(out, " session ");
        put_lower(t->session, out);
    }
    for (size_t i = 0; i < t->n_ops; i++) {
        buf_text(out, " key ");
        put_lower(t->ops[i].key, out);
        buf_char(out, ' ');
        put_lower(t->ops[i].text, out);
    }
}

/* --- parts of a card
 * ---------------------------------------------------------*/

/* The legend of the lines. */
static void
put_legend(const struct picture *p, const struct anomaly *a, struct buf *out)
{
    static const struct {
        enum edge_kind kind;
        const char *meaning;
    } kinds[] = {
        {EDGE_WR, "read by"},        {EDGE_RW, "read, and overwritten by"},
        {EDGE_WW, "overwritten by"}, {EDGE_SO, "earlier in the session"},
        {EDGE_TIME, "over before"},
    };
    bool inferred = false, init = false;
    if (!a->edges.n)
        return;
    for (size_t i = 0; i < a->edges.n; i++) {
        if (!picture_draws(p, a, &a->edges.at[i]))
            continue;
        inferred |= a->edges.at[i].inferred;
        init |= a->txns.at[a->edges.at[i].from].is_init;
    }
    buf_text(out, "<p class=\"legend\">");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < a->edges.n; i++)
            if (a->edges.at[i].kind == kinds[k].kind &&
                picture_draws(p, a, &a->edges.at[i])) {
                buf_printf(out, "<span class=\"key %s\"></span><b>%s</b>: %s; ",
                           part_edge(kinds[k].kind), part_edge(kinds[k].kind),
                           kinds[k].meaning);
                break;
            }
    buf_printf(out, "%s%s%s</p>", a->cycle.n ? "<b>thick</b>: the cycle" : "",
               inferred ? "; <b>dashed</b>: inferred, the list below says why"
                        : "",
               init ? "; <b>init</b>: the initial state, before all "
                      "transactions; <b>nil</b>: no value yet"
                    : "");
}

static void
put_views(const struct anomaly *a, const char *id, struct buf *out)
{
    struct picture p;
    struct buf lanes = {0}, prefix = {0};
    int width, height;
    buf_printf(&prefix, "%s-", id);
    picture_init(&p, a);
    (picture_has_times(a) ? picture_time_lanes : picture_lanes)(
        a, prefix.at, &width, &height, &lanes);
    buf_printf(out,
               "<div class=\"views\"><div><h4>The dependencies, from operation "
               "to operation</h4><figure class=\"ring\"><svg viewBox=\"0 0 %d "
               "%d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
               p.width, p.height, p.width, p.height);
    part_xml(out, a->story);
    buf_text(out, "\">");
    picture_svg(&p, a, prefix.at, out);
    buf_text(out, "</svg></figure>");
    put_legend(&p, a, out);
    buf_printf(out,
               "</div><div><h4>The sessions, %s</h4>"
               "<figure class=\"lanes\"><svg viewBox=\"0 0 %d %d\" "
               "width=\"%d\" height=\"%d\">",
               picture_has_times(a) ? "in time" : "in order", width, height,
               width, height);
    buf_add(out, lanes.at, lanes.n);
    buf_text(out, "</svg></figure>");
    picture_free(&p);
    buf_free(&lanes);
    buf_free(&prefix);
}

static void
put_steps(const struct anomaly *a, const char *id, struct buf *out)
{
    buf_text(out, "<h4>Why no order works</h4><ol class=\"steps\">");
    for (size_t i = 0; i < a->steps.n; i++) {
        const struct anomaly_step *s = &a->steps.at[i];
        buf_printf(out, "<li%s", s->depth ? " class=\"deep\"" : "");
        if (s->edge != ANOMALY_NONE)
            buf_printf(out, " data-edge=\"%s-%u\" tabindex=\"0\"", id, s->edge);
        buf_char(out, '>');
        part_xml(out, s->text);
        buf_text(out, ".</li>");
    }
    buf_text(out, "</ol>");
}

static void
put_edges(const struct anomaly *a, const char *id, struct buf *out)
{
    if (!a->edges.n)
        return;
    buf_text(out, "<h4>Why each dependency is there</h4>");
    for (size_t i = 0; i < a->edges.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[i];
        buf_printf(out,
                   "<details class=\"edge%s\" data-edge=\"%s-%zu\" "
                   "data-from=\"%s-%u\" data-to=\"%s-%u\"><summary><span "
                   "class=\"tag\">%s</span>",
                   e->on_cycle ? " cycle" : "", id, i, id, e->from, id, e->to,
                   part_edge(e->kind));
        part_xml(out, a->txns.at[e->from].name);
        buf_text(out, " \xe2\x86\x92 ");
        part_xml(out, a->txns.at[e->to].name);
        if (e->key) {
            buf_text(out, " <span class=\"soft\">on</span> <code>");
            part_xml(out, e->key);
            buf_text(out, "</code>");
        }
        buf_text(out,
                 e->rejected ? " <span class=\"soft\">inferred</span>" : "");
        buf_text(out, "</summary><p>");
        part_xml(out, e->reason);
        buf_text(out, ".</p>");
        if (e->rejected) {
            buf_text(out, "<p><b>Not the other way round:</b> ");
            part_xml(out, e->rejected);
            buf_text(out, ".</p>");
        }
        buf_text(out, "</details>");
    }
}

static void
put_txn_row(const struct anomaly_txn *t, const char *id, size_t i,
            struct buf *out)
{
    buf_printf(out, "<tr data-txn=\"%s-%zu\"%s data-find=\"", id, i,
               t->is_context ? " class=\"context\"" : "");
    put_terms(t, out);
    buf_printf(out,
               "\"><td class=\"mono\" title=\"transaction %u of its "
               "session\">",
               t->position);
    part_xml(out, t->name);
    buf_text(out, "</td><td class=\"mono\">");
    part_xml(out, t->session);
    buf_printf(out, "</td><td>%u</td><td>%s", t->position,
               part_status(t->status));
    if (t->has_times)
        buf_printf(out,
                   "<br><span class=\"soft\">%lld \xe2\x80\x93 %lld</span>",
                   (long long)t->began, (long long)t->ended);
    buf_text(out, "</td><td class=\"mono\">");
    for (size_t j = 0; j < t->n_ops; j++) {
        const struct anomaly_op *o = &t->ops[j];
        buf_text(out, j ? "  " : "");
        if (o->matters)
            buf_printf(out, "<b class=\"op %s%s\">", o->is_write ? "w" : "r",
                       o->is_changed ? " changed" : "");
        part_xml(out, o->text);
        buf_text(out, o->matters ? "</b>" : "");
    }
    if (t->elided)
        buf_printf(out, "  <span class=\"soft\">+ %zu more</span>", t->elided);
    if (t->meta) {
        buf_text(out, "\n<span class=\"soft\">");
        part_xml(out, t->meta);
        buf_text(out, "</span>");
    }
    buf_text(out, "</td></tr>");
}

static void
put_txns(const struct anomaly *a, const char *id, struct buf *out)
{
    buf_text(out, "<h4>The transactions, and what their sessions did around "
                  "them</h4><div class=\"scroll\"><table><thead><tr>"
                  "<th>transaction</th><th>session</th><th>no.</th>"
                  "<th>status</th><th>operations</th></tr></thead><tbody>");
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_init)
            put_txn_row(&a->txns.at[i], id, i, out);
    buf_text(out, "</tbody></table></div>");
    if (part_unlisted(a))
        buf_printf(out, "<p class=\"soft\">... and %zu more transactions</p>",
                   part_unlisted(a));
}

/* Text to copy, in a folded section. */
static void
put_text(const char *title, const char *id, const char *what, const char *text,
         const char *link, struct buf *out)
{
    buf_printf(out,
               "<details class=\"copy\"><summary>%s</summary><p><button "
               "type=\"button\" data-copy=\"%s-%s\">copy</button> %s</p><pre "
               "id=\"%s-%s\">",
               title, id, what, link, id, what);
    part_xml(out, text);
    buf_text(out, "</pre></details>");
}

static void
put_as_text(const struct anomaly *a, const char *id, struct buf *out)
{
    struct buf text = {0};
    buf_printf(&text, "%s\n", a->headline);
    part_story(a, "", &text);
    put_text("As text", id, "text", text.at, "", out);
    buf_free(&text);
}

/* The reduced history, to copy or save.  In the address, all special bytes are
 * encoded, so none can end the attribute. */
static void
put_reduced(const struct anomaly *a, const char *id, struct buf *out)
{
    struct err err = {0};
    if (a->reduced.n_ops > MOST_OPS || !jsonl_holds(&a->reduced, &err))
        return;
    struct buf text = {0}, link = {0};
    jsonl_show(&a->reduced, &text);
    buf_printf(&link,
               "<a download=\"%s.jsonl\" href=\"data:text/plain;"
               "charset=utf-8,",
               anomaly_table[a->kind].name);
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.at[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9');
        if (plain)
            buf_char(&link, (char)c);
        else
            buf_printf(&link, "%%%02X", c);
    }
    buf_text(&link, "\">save</a>");
    put_text("As a history, to be checked again", id, "history", text.at,
             link.at, out);
    buf_free(&text);
    buf_free(&link);
}

void
card_html(const struct anomaly *a, const char *id, level_set levels,
          bool is_open, struct buf *out)
{
    buf_printf(out,
               "<article class=\"card\" id=\"%s\" tabindex=\"-1\" data-find=\"",
               id);
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context) {
            put_terms(&a->txns.at[i], out);
            buf_char(out, ' ');
        }
    buf_text(out, "\"><h3>");
    part_xml(out, a->headline);
    buf_text(out, "</h3><p class=\"names\">violates ");
    bool first = true;
    for (int l = 0; l < LEVELS; l++)
        if (levels >> l & 1) {
            buf_printf(out, "%s%s", first ? "" : ", ", level_table[l].title);
            first = false;
        }
    struct buf names = {0};
    part_other_names(a, &names);
    if (names.n) {
        buf_text(out, " \xc2\xb7 ");
        part_xml(out, names.at);
    }
    buf_free(&names);
    buf_text(out, "</p><p class=\"story\">");
    part_xml(out, a->story);
    buf_printf(out,
               ".</p><details class=\"body\"%s><summary>Picture and proof"
               "</summary>",
               is_open ? " open" : "");
    put_views(a, id, out);
    put_steps(a, id, out);
    buf_text(out, "<p class=\"soft\">");
    part_holds(a, out);
    buf_text(out, ".</p></div></div>");
    put_edges(a, id, out);
    put_txns(a, id, out);
    put_as_text(a, id, out);
    put_reduced(a, id, out);
    buf_text(out, "</details></article>\n");
}
