/* row_trace.c -- see row_trace.h.
 *
 * SPDX-License-Identifier: MIT */
#include "row_trace.h"

#include "base/random.h"

#include <string.h>

static int
below(struct random *r, int n)
{
    return (int)random_below(r, (uint64_t)n);
}

/* --- a random trace -------------------------------------------------------*/

static struct trace_statement
random_statement(struct random *r, int *state)
{
    struct trace_statement s = {.row = below(r, TRACE_ROWS)};
    const int is_there = state[s.row] != TRACE_ABSENT;
    switch (below(r, 6)) {
    case 0:
        s.kind = TRACE_GET;
        return s;
    case 1:
        s.kind = is_there ? TRACE_LOCK : TRACE_GET;
        return s;
    case 2:
        s.kind = TRACE_QUERY;
        s.number = below(r, TRACE_VALUES - 1);
        return s;
    case 3:
        if (is_there) {
            s.kind = TRACE_DROP;
            state[s.row] = TRACE_ABSENT;
            return s;
        }
        break;
    default:
        break;
    }
    s.kind = is_there ? TRACE_SET : TRACE_ADD;
    s.number = state[s.row] = below(r, TRACE_VALUES);
    return s;
}

void
trace_random(struct trace *t, uint64_t seed)
{
    struct random r;
    random_seed(&r, seed);
    memset(t, 0, sizeof *t);
    int state[TRACE_ROWS];
    for (int i = 0; i < TRACE_ROWS; i++)
        state[i] = t->initial[i] = below(&r, TRACE_VALUES + 1) - 1;
    t->n = 2 + below(&r, TRACE_TXNS - 1);
    for (int i = 0; i < t->n; i++) {
        t->txns[i].n = 1 + below(&r, TRACE_STATEMENTS);
        for (int k = 0; k < t->txns[i].n; k++)
            t->txns[i].at[k] = random_statement(&r, state);
    }
}

/* --- as it is recorded ----------------------------------------------------*/

struct recorder {
    struct buf *out;
    int value[TRACE_ROWS], version[TRACE_ROWS];
    int versions, ops;
};

static void
put_row(struct recorder *w, const char *kind, int row, const char *more)
{
    buf_printf(w->out, "%s[\"%s\",[\"t\",%d]", w->ops++ ? "," : "", kind, row);
    if (more)
        buf_text(w->out, more);
    else
        buf_printf(w->out, ",{\"v\":%d},{\"ver\":%d}", w->value[row],
                   w->version[row]);
    buf_text(w->out, "]");
}

static void
put_query(struct recorder *w, int above)
{
    buf_printf(w->out, "%s[\"q\",{\"table\":\"t\",\"where\":\"v > %d\"},[",
               w->ops++ ? "," : "", above);
    const char *comma = "";
    for (int i = 0; i < TRACE_ROWS; i++)
        if (w->value[i] > above) {
            buf_printf(w->out, "%s[[\"t\",%d],{\"v\":%d},{\"ver\":%d}]", comma,
                       i, w->value[i], w->version[i]);
            comma = ",";
        }
    buf_text(w->out, "]]");
}

static void
record_statement(struct recorder *w, const struct trace_statement *s)
{
    switch (s->kind) {
    case TRACE_GET:
    case TRACE_LOCK:
        put_row(w, "r", s->row, w->value[s->row] == TRACE_ABSENT ? "" : NULL);
        break;
    case TRACE_QUERY:
        put_query(w, s->number);
        break;
    case TRACE_SET:
        put_row(w, "r", s->row, NULL);
        w->value[s->row] = s->number;
        w->version[s->row] = ++w->versions;
        put_row(w, "u", s->row, NULL);
        break;
    case TRACE_ADD:
        put_row(w, "r", s->row, ",null,{\"check\":true}");
        w->value[s->row] = s->number;
        w->version[s->row] = ++w->versions;
        put_row(w, "i", s->row, NULL);
        break;
    case TRACE_DROP:
        put_row(w, "r", s->row, NULL);
        w->value[s->row] = TRACE_ABSENT;
        put_row(w, "d", s->row, "");
        break;
    }
}

void
trace_recorded(const struct trace *t, bool with_locks, struct buf *out)
{
    struct recorder w = {.out = out};
    buf_text(out, "{\"initial\":{\"rows\":[");
    for (int i = 0, n = 0; i < TRACE_ROWS; i++) {
        w.value[i] = t->initial[i];
        if (t->initial[i] == TRACE_ABSENT)
            continue;
        w.version[i] = ++w.versions;
        buf_printf(out, "%s[[\"t\",%d],{\"v\":%d},{\"ver\":%d}]",
                   n++ ? "," : "", i, w.value[i], w.version[i]);
    }
    buf_text(out, "]}}\n");
    for (int i = 0; i < t->n; i++) {
        struct buf statements = {0};
        buf_text(out, "{\"session\":\"c\",\"ops\":[");
        w.ops = 0;
        for (int k = 0; k < t->txns[i].n; k++) {
            const int before = w.ops;
            record_statement(&w, &t->txns[i].at[k]);
            buf_printf(
                &statements, "%s[%d,%d%s]", k ? "," : "", k, w.ops - before,
                t->txns[i].at[k].kind == TRACE_LOCK ? ",\"update\"" : "");
        }
        buf_printf(out, "],\"meta\":{\"n\":%d", i);
        if (with_locks)
            buf_printf(out, ",\"statements\":[%s]", statements.at);
        buf_text(out, "}}\n");
        buf_free(&statements);
    }
}

/* --- as registers ---------------------------------------------------------*/

// Of a row: itself, whether it exists, whether its value is above a number.
enum { REGISTERS = 2 + TRACE_VALUES - 1 };

static int
answer(int value, int question)
{
    return question == 0   ? value
           : question == 1 ? value != TRACE_ABSENT
                           : value > question - 2;
}

struct writer {
    struct buf *out;
    int named[TRACE_ROWS]; // rows in the order in which the recording has them
    int label[TRACE_ROWS][REGISTERS]; // of the last write; 0: none
    int labels, ops;
};

static void
put_op(struct writer *w, const char *kind, int row, int question, int label)
{
    buf_printf(w->out, "%s[\"%s\",\"t%d/%d\",", w->ops++ ? "," : "", kind, row,
               question);
    if (label)
        buf_printf(w->out, "%d]", label);
    else
        buf_text(w->out, "null]");
}

static void
name_rows(const struct trace *t, struct writer *w)
{
    int place[TRACE_ROWS] = {0}, n = 0;
    for (int i = 0; i < TRACE_ROWS; i++)
        if (t->initial[i] != TRACE_ABSENT)
            place[i] = ++n;
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->txns[i].n; k++)
            if (t->txns[i].at[k].kind != TRACE_QUERY &&
                !place[t->txns[i].at[k].row])
                place[t->txns[i].at[k].row] = ++n;
    for (int i = 0; i < TRACE_ROWS; i++)
        w->named[place[i] ? place[i] - 1 : n++] = i;
}

/* What a statement reads, unless its transaction wrote the row before: of a
 * query first the rows that it returned, as they were, then whether the others
 * match. */
static void
put_reads(struct writer *w, const struct trace_statement *s, const int *state,
          const int *is_own)
{
    const bool asks = s->kind == TRACE_QUERY;
    if (s->kind == TRACE_ADD)
        return; // only a constraint reads the key
    if (!asks && !is_own[s->row]) {
        const int question = state[s->row] == TRACE_ABSENT;
        put_op(w, "r", s->row, question, w->label[s->row][question]);
    }
    for (int i = 0; asks && i < TRACE_ROWS; i++)
        if (!is_own[i] && state[i] > s->number)
            put_op(w, "r", i, 0, w->label[i][0]);
    for (int n = 0; asks && n < TRACE_ROWS; n++) {
        const int i = w->named[n], question = 2 + s->number;
        if (!is_own[i] && state[i] <= s->number)
            put_op(w, "r", i, question, w->label[i][question]);
    }
}

void
trace_registers(const struct trace *t, struct buf *out)
{
    struct writer w = {.out = out};
    int state[TRACE_ROWS];
    name_rows(t, &w);
    memcpy(state, t->initial, sizeof state);
    for (int i = 0; i < t->n; i++) {
        int before[TRACE_ROWS], is_own[TRACE_ROWS] = {0};
        memcpy(before, state, sizeof before);
        buf_printf(out, "{\"session\":\"c%d\",\"ops\":[", i);
        w.ops = 0;
        for (int k = 0; k < t->txns[i].n; k++) {
            const struct trace_statement *s = &t->txns[i].at[k];
            put_reads(&w, s, state, is_own);
            if (s->kind < TRACE_SET)
                continue;
            state[s->row] = s->kind == TRACE_DROP ? TRACE_ABSENT : s->number;
            is_own[s->row] = 1;
            bool is_last = true;
            for (int j = k + 1; j < t->txns[i].n; j++)
                is_last &= t->txns[i].at[j].kind < TRACE_SET ||
                           t->txns[i].at[j].row != s->row;
            for (int q = 0; is_last && q < REGISTERS; q++)
                if (q == 0 ||
                    answer(before[s->row], q) != answer(state[s->row], q)) {
                    w.label[s->row][q] = ++w.labels;
                    put_op(&w, "w", s->row, q, w.labels);
                }
        }
        buf_text(out, "]}\n");
    }
}
