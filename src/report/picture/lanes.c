/* lanes.c -- an anomaly on a time line; see picture.h.
 *
 * There is one lane per session, with its transactions from left to right.
 * Columns show order, not time: a transaction is to the right of those before
 * it in its session, of those that it read from and, if the history has times,
 * of those that had ended when it began.  Nothing else is certain: other
 * transactions in different lanes may have run in any order.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/picture/picture.h"

#include <string.h>

enum {
    LANE = 46, // height
    CHAR = 8,  // width of a character
    BOX = 28,  // height of a box
    GAP = 14,  // between columns
    MOST_CHARS = 16,
};

struct lanes {
    const struct anomaly *a;
    u32_vec column;             // by transaction
    VEC(const char *) sessions; // distinct, in order of appearance
};

static uint32_t
lane_of(struct lanes *l, const char *session)
{
    for (uint32_t i = 0; i < l->sessions.n; i++)
        if (strcmp(l->sessions.at[i], session) == 0)
            return i;
    vec_push(&l->sessions, session);
    return (uint32_t)l->sessions.n - 1;
}

/* Whether transaction i is certainly before j. */
static bool
is_before(const struct anomaly *a, uint32_t i, uint32_t j)
{
    const struct anomaly_txn *x = &a->txns.at[i], *y = &a->txns.at[j];
    if (strcmp(x->session, y->session) == 0)
        return x->position < y->position;
    if (x->has_times && y->has_times)
        return x->ended < y->began;
    for (size_t k = 0; k < a->edges.n; k++)
        if (a->edges.at[k].kind == EDGE_WR && a->edges.at[k].from == i &&
            a->edges.at[k].to == j)
            return true;
    return false;
}

/* Move transactions to the right until each is right of those before it.  If
 * there is a cycle of reads, stop after as many rounds as transactions. */
static uint32_t
find_columns(struct lanes *l)
{
    const struct anomaly *a = l->a;
    uint32_t last = 0;
    for (size_t i = 0; i < a->txns.n; i++)
        vec_push(&l->column, 0);
    bool moved = true;
    for (size_t round = 0; moved && round < a->txns.n; round++) {
        moved = false;
        for (uint32_t i = 0; i < a->txns.n; i++)
            for (uint32_t j = 0; j < a->txns.n; j++)
                if (i != j && !a->txns.at[i].is_init &&
                    !a->txns.at[j].is_init && is_before(a, i, j) &&
                    l->column.at[j] <= l->column.at[i] &&
                    l->column.at[i] + 1 < 2 * a->txns.n) {
                    l->column.at[j] = l->column.at[i] + 1;
                    moved = true;
                }
    }
    for (size_t i = 0; i < a->txns.n; i++)
        if (l->column.at[i] > last)
            last = l->column.at[i];
    return last + 1;
}

static int
chars_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n < MOST_CHARS ? n : MOST_CHARS;
}

void
picture_cut(const char *text, int most, struct buf *out)
{
    struct buf cut = {0};
    int n = 0;
    for (; *text; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
        if (n > most)
            break;
        buf_char(&cut, *text);
    }
    part_xml(out, cut.n ? cut.at : "");
    if (*text)
        buf_text(out, "\xe2\x80\xa6");
    buf_free(&cut);
}

void
picture_open_txn(const struct anomaly_txn *t, uint32_t i, const char *prefix,
                 struct buf *out)
{
    buf_printf(out,
               "<g class=\"txn%s%s\" data-txn=\"%s%u\" tabindex=\"0\" "
               "role=\"button\">",
               t->is_context ? " context" : "",
               t->status == TXN_ABORTED         ? " aborted"
               : t->status == TXN_INDETERMINATE ? " indeterminate"
                                                : "",
               prefix, i);
}

static void
put_txn(const struct anomaly_txn *t, uint32_t i, int x, int y, int width,
        const char *prefix, struct buf *out)
{
    picture_open_txn(t, i, prefix, out);
    buf_text(out, "<title>");
    part_xml(out, t->name);
    for (size_t k = 0; k < t->n_ops; k++) {
        buf_text(out, k ? "  " : ": ");
        part_xml(out, t->ops[k].text);
    }
    if (t->elided)
        buf_printf(out, "  + %zu more", t->elided);
    buf_text(out, "</title>");
    buf_printf(out,
               "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" "
               "height=\"%d\" rx=\"6\"/>"
               "<text class=\"name\" x=\"%d\" y=\"%d\">",
               x, y, width, BOX, x + 8, y + 18);
    picture_cut(t->name, MOST_CHARS, out);
    buf_text(out, "</text></g>");
}

void
picture_lanes(const struct anomaly *a, const char *prefix, int *width,
              int *height, struct buf *out)
{
    struct lanes l = {.a = a};
    const uint32_t columns = find_columns(&l);
    int box = 0, name = 0;
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_init) {
            lane_of(&l, a->txns.at[i].session);
            if (chars_of(a->txns.at[i].name) * CHAR + 22 > box)
                box = chars_of(a->txns.at[i].name) * CHAR + 22;
            if (chars_of(a->txns.at[i].session) > name)
                name = chars_of(a->txns.at[i].session);
        }
    // "session " and the name, cut or not, and the beginning of the lane
    name = (8 + name + 1) * CHAR + 2 * GAP;
    *width = name + (int)columns * (box + GAP) + GAP;
    *height = (int)l.sessions.n * LANE + 8;
    for (uint32_t i = 0; i < l.sessions.n; i++) {
        const int y = (int)i * LANE + LANE / 2 + 4;
        buf_printf(
            out,
            "<line class=\"lane\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
            "y2=\"%d\"/><text class=\"session\" x=\"4\" y=\"%d\">session ",
            name - GAP, y, *width - 4, y, y + 5);
        picture_cut(l.sessions.at[i], MOST_CHARS, out);
        buf_text(out, "</text>");
    }
    for (uint32_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (t->is_init)
            continue;
        put_txn(t, i, name + (int)l.column.at[i] * (box + GAP),
                (int)lane_of(&l, t->session) * LANE + (LANE - BOX) / 2 + 4, box,
                prefix, out);
    }
    vec_free(&l.column);
    vec_free(&l.sessions);
}
