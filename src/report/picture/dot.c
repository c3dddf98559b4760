/* dot.c -- the anomalies as graphs for Graphviz.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"

/* Escape text for a quoted string; in a record, also its separators. */
static void
put_quoted(const char *text, struct buf *out)
{
    for (; *text; text++) {
        if (strchr("\"\\{}|<>", *text))
            buf_char(out, '\\');
        buf_char(out, *text == '\n' ? ' ' : *text);
    }
}

static void
put_txn(const struct anomaly *a, uint32_t i, const char *prefix,
        struct buf *out)
{
    const struct anomaly_txn *t = &a->txns.at[i];
    buf_printf(out, "    %st%u [label=\"{", prefix, i);
    put_quoted(t->name, out);
    for (size_t j = 0; j < t->n_ops; j++) {
        buf_printf(out, "|<o%zu> ", j);
        put_quoted(t->ops[j].text, out);
    }
    if (t->elided)
        buf_printf(out, "|+ %zu more", t->elided);
    buf_printf(out, "}\"%s];\n",
               t->status == TXN_COMMITTED ? "" : ", style=dashed");
}

static void
put_port(const char *prefix, uint32_t txn, uint32_t op, struct buf *out)
{
    buf_printf(out, "%st%u", prefix, txn);
    if (op != ANOMALY_NONE)
        buf_printf(out, ":o%u", op);
}

static void
put_edge(const struct anomaly_edge *e, const char *prefix, struct buf *out)
{
    buf_text(out, "    ");
    put_port(prefix, e->from, e->from_op, out);
    buf_text(out, " -> ");
    put_port(prefix, e->to, e->to_op, out);
    buf_printf(out, " [label=\"%s", part_edge(e->kind));
    if (e->key) {
        buf_char(out, ' ');
        put_quoted(e->key, out);
    }
    buf_text(out, "\", tooltip=\"");
    put_quoted(e->reason, out);
    buf_printf(out, "\", color=%s%s];\n", e->on_cycle ? "crimson" : "gray50",
               e->inferred ? ", style=dashed" : "");
}

static void
put_anomaly(const struct anomaly *a, const char *prefix, struct buf *out)
{
    buf_printf(out, "  subgraph cluster_%s {\n    label=\"", prefix);
    put_quoted(a->headline, out);
    buf_text(out, "\";\n");
    for (uint32_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context)
            put_txn(a, i, prefix, out);
    for (size_t i = 0; i < a->edges.n; i++)
        put_edge(&a->edges.at[i], prefix, out);
    buf_text(out, "  }\n");
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    buf_text(out, "digraph \"");
    struct buf path = {0};
    buf_shown(&path, run->path);
    put_quoted(path.n ? path.at : "", out);
    buf_free(&path);
    buf_text(out, "\" {\n  node [shape=record, fontname=\"monospace\"];\n"
                  "  edge [fontname=\"monospace\"];\n");
    struct buf undrawn = {0};
    part_undrawn(run, &undrawn);
    if (undrawn.n) {
        buf_text(out, "  label=\"");
        put_quoted(undrawn.at, out);
        buf_text(out, "\";\n");
    }
    buf_free(&undrawn);
    for (size_t i = 0; i < run->check->results.n; i++)
        for (size_t j = 0; j < run->explanations[i].anomalies.n; j++) {
            struct buf prefix = {0};
            buf_printf(&prefix, "l%zua%zu_", i, j);
            put_anomaly(&run->explanations[i].anomalies.at[j], prefix.at, out);
            buf_free(&prefix);
        }
    buf_text(out, "}\n");
}

const struct report_format report_dot = {
    .name = "dot",
    .suffix = ".dot",
    .help = "a graph per history, for Graphviz",
    .add = add,
};
