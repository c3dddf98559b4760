/* card.c -- see card.h.
 *
 * Elements for a transaction have the attribute data-txn, elements for an edge
 * data-edge.  The values are the same in all views, so the script (page.js) can
 * link them.  The filter looks for whole lines of data-find, "key:x".
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/card.h"

#include "format/jsonl/jsonl.h"
#include "report/page/legend.h"
#include "report/page/words.h"
#include "report/parts.h"
#include "report/picture/axis.h"

#include <string.h>

enum {
    MOST_OPS = 2000, // the largest reduced history shown in the page
    HALF_PAGE = 580, // a wider picture takes the whole width
};

/* --- what the filter finds ------------------------------------------------ */

static void
put_term(const char *kind, const char *text, struct buf *out)
{
    struct buf lower = {0};
    for (; *text; text++)
        buf_char(&lower,
                 *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text);
    buf_printf(out, "%s:", kind);
    part_xml(out, lower.n ? lower.at : "");
    buf_char(out, '\n');
    buf_free(&lower);
}

/* A term a line.  Of the keys all, or those that the anomaly is about. */
static void
put_terms(const struct anomaly_txn *t, bool all, struct buf *out)
{
    if (t->is_init)
        return;
    put_term("transaction", t->name, out);
    put_term("session", t->session, out);
    for (size_t i = 0; i < t->n_ops; i++)
        if (all || t->ops[i].matters)
            put_term("key", t->ops[i].key, out);
}

/* --- parts of a card ------------------------------------------------------ */

/* The dependencies as a ring, or in a column where that is too wide. */
static void
put_picture(const struct anomaly *a, const struct picture *p, const char *class,
            const char *prefix, struct buf *out)
{
    buf_printf(out,
               "<figure class=\"%s\" tabindex=\"0\" aria-label=\"dependencies"
               "\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
               "role=\"img\" aria-label=\"",
               class, p->width, p->height, p->width, p->height);
    words_short(a->story, out);
    buf_text(out, "\">");
    picture_svg(p, a, prefix, out);
    buf_text(out, "</svg></figure>");
}

/* What the zero of the time axis is: when the first of the transactions
 * began. */
static void
put_zero(const struct anomaly *a, const struct picture_clock *clock,
         struct buf *out)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_init && !a->txns.at[i].is_context &&
            a->txns.at[i].began < first)
            first = a->txns.at[i].began;
    if (clock->is_nanoseconds) {
        buf_text(out, "0 is ");
        axis_time((double)first - (double)clock->zero, out);
        buf_text(out, " after the run began. ");
    } else {
        buf_printf(out, "0 is %lld on the clock of the history. ",
                   (long long)first);
    }
    buf_text(out, "Where bars overlap, the transactions ran at the same time.");
}

/* The sessions on a time axis, with buttons that the script needs to zoom. */
static void
put_time_lanes(const struct anomaly *a, const struct picture_clock *clock,
               const char *prefix, struct buf *out)
{
    struct buf lanes = {0};
    int width, height;
    picture_time_lanes(a, clock, prefix, &width, &height, &lanes);
    buf_printf(out,
               "<h4>The sessions, in time</h4><figure class=\"lanes timed\" "
               "tabindex=\"0\" aria-label=\"sessions; plus and minus zoom, "
               "arrows move\"><div class=\"zoom\" hidden><button "
               "type=\"button\" data-zoom=\"in\" title=\"zoom in (+)\" "
               "aria-label=\"zoom in\">+</button><button type=\"button\" "
               "data-zoom=\"out\" title=\"zoom out (-)\" aria-label=\"zoom "
               "out\">\xe2\x88\x92</button><button type=\"button\" "
               "data-zoom=\"all\" title=\"as at first (0)\">reset</button>"
               "</div><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
               "data-unit=\"%s\">",
               width, height, width, height, clock->is_nanoseconds ? "ns" : "");
    buf_add(out, lanes.at, lanes.n);
    buf_text(out, "</svg><figcaption class=\"soft\">");
    put_zero(a, clock, out);
    buf_text(out, "</figcaption></figure>");
    buf_free(&lanes);
}

static void
put_lanes(const struct anomaly *a, const char *prefix, struct buf *out)
{
    struct buf lanes = {0};
    int width, height;
    picture_lanes(a, prefix, &width, &height, &lanes);
    buf_printf(out,
               "<h4>The sessions, in order</h4><figure class=\"lanes\" "
               "tabindex=\"0\" aria-label=\"sessions\"><svg viewBox=\"0 0 %d "
               "%d\" width=\"%d\" height=\"%d\">",
               width, height, width, height);
    buf_add(out, lanes.at, lanes.n);
    buf_text(out, "</svg></figure>");
    buf_free(&lanes);
}

static void
put_views(const struct anomaly *a, const struct picture_clock *clock,
          const char *id, struct buf *out)
{
    struct picture ring, column;
    struct buf prefix = {0};
    buf_printf(&prefix, "%s-", id);
    picture_init(&ring, a);
    picture_init_column(&column, a);
    buf_printf(out,
               "<div class=\"views%s\"><div><h4>The dependencies, from "
               "operation to operation</h4>",
               ring.width > HALF_PAGE ? " wide" : "");
    put_picture(a, &ring, "ring", prefix.at, out);
    put_picture(a, &column, "column", prefix.at, out);
    legend_html(&ring, a, out);
    buf_text(out, "</div><div>");
    if (picture_has_times(a))
        put_time_lanes(a, clock, prefix.at, out);
    else
        put_lanes(a, prefix.at, out);
    picture_free(&ring);
    picture_free(&column);
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
        words_html(a, s->text, out);
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
                   "class=\"tag %s\">%s</span>",
                   e->on_cycle ? " cycle" : "", id, i, id, e->from, id, e->to,
                   part_edge(e->kind), part_edge(e->kind));
        words_html(a, a->txns.at[e->from].name, out);
        buf_text(out, " \xe2\x86\x92 ");
        words_html(a, a->txns.at[e->to].name, out);
        if (e->key) {
            buf_text(out, " <span class=\"soft\">on</span> <code>");
            words_short(e->key, out);
            buf_text(out, "</code>");
        }
        buf_text(out,
                 e->rejected ? " <span class=\"soft\">inferred</span>" : "");
        buf_text(out, "</summary><p>");
        words_html(a, e->reason, out);
        buf_text(out, ".</p>");
        if (e->rejected) {
            buf_text(out, "<p><b>Not the other way round:</b> ");
            words_html(a, e->rejected, out);
            buf_text(out, ".</p>");
        }
        buf_text(out, "</details>");
    }
}

/* When a transaction began and how long it took. */
static void
put_times(const struct anomaly_txn *t, const struct picture_clock *clock,
          struct buf *out)
{
    if (!t->has_times)
        return;
    buf_text(out, "<br><span class=\"soft\">");
    if (clock->is_nanoseconds) {
        buf_text(out, "at ");
        axis_time((double)t->began - (double)clock->zero, out);
        buf_text(out, ", took ");
        axis_time((double)t->ended - (double)t->began, out);
    } else {
        buf_printf(out, "%lld \xe2\x80\x93 %lld", (long long)t->began,
                   (long long)t->ended);
    }
    buf_text(out, "</span>");
}

static void
put_txn_row(const struct anomaly *a, const struct picture_clock *clock,
            const char *id, size_t i, struct buf *out)
{
    const struct anomaly_txn *t = &a->txns.at[i];
    buf_printf(out, "<tr data-txn=\"%s-%zu\"%s data-find=\"", id, i,
               t->is_context ? " class=\"context\"" : "");
    put_terms(t, true, out);
    buf_text(out, "\"><td class=\"mono\">");
    words_html(a, t->name, out);
    if (*t->lines) {
        buf_text(out, "<br><span class=\"soft\">");
        words_short(t->lines, out);
        buf_text(out, "</span>");
    }
    buf_text(out, "</td><td class=\"mono\">");
    words_short(t->session, out);
    buf_printf(out, "</td><td>%u</td><td>%s", t->position,
               part_status(t->status));
    put_times(t, clock, out);
    buf_text(out, "</td><td class=\"mono\">");
    for (size_t j = 0; j < t->n_ops; j++) {
        const struct anomaly_op *o = &t->ops[j];
        buf_text(out, j ? "  " : "");
        if (o->matters)
            buf_printf(out, "<b class=\"op %s%s\">", o->is_write ? "w" : "r",
                       o->is_changed ? " changed" : "");
        words_html(a, o->text, out);
        buf_text(out, o->matters ? "</b>" : "");
    }
    if (t->elided)
        buf_printf(out, "  <span class=\"soft\">+ %zu more</span>", t->elided);
    struct buf sent = {0};
    part_statements(t, "", &sent);
    if (sent.n) {
        sent.at[--sent.n] = 0; // the last line's end
        buf_text(out, "\n<span class=\"soft\">");
        part_xml(out, sent.at);
        buf_text(out, "</span>");
    }
    buf_free(&sent);
    buf_text(out, "</td></tr>");
}

static void
put_txns(const struct anomaly *a, const struct picture_clock *clock,
         const char *id, struct buf *out)
{
    buf_text(out,
             "<h4>The transactions, and what their sessions did around "
             "them</h4><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
             "aria-label=\"transactions\"><table><thead><tr>"
             "<th>transaction</th><th>session</th><th>no.</th>"
             "<th>status</th><th>operations</th></tr></thead><tbody>");
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_init)
            put_txn_row(a, clock, id, i, out);
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
               "id=\"%s-%s\" tabindex=\"0\">",
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
card_html(const struct anomaly *a, const struct picture_clock *clock,
          const char *id, level_set levels, bool is_open, struct buf *out)
{
    buf_printf(out,
               "<article class=\"card\" id=\"%s\" tabindex=\"-1\" data-find=\"",
               id);
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context) {
            put_terms(&a->txns.at[i], false, out);
        }
    buf_text(out, "\"><h3>");
    words_short(a->headline, out);
    buf_printf(out,
               " <a class=\"link\" href=\"#%s\" title=\"the address of this "
               "anomaly, to be copied\" aria-label=\"address of this "
               "anomaly\">#</a></h3><p class=\"names\">violates ",
               id);
    bool first = true;
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(levels, l)) {
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
    words_html(a, a->story, out);
    buf_printf(out,
               ".</p><details class=\"body\"%s><summary>Picture and proof"
               "</summary>",
               is_open ? " open" : "");
    put_views(a, clock, id, out);
    put_steps(a, id, out);
    buf_text(out, "<p class=\"soft\">");
    part_holds(a, out);
    buf_text(out, ".</p></div></div>");
    put_edges(a, id, out);
    put_txns(a, clock, id, out);
    put_as_text(a, id, out);
    put_reduced(a, id, out);
    buf_text(out, "</details></article>\n");
}
