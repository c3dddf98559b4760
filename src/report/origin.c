/* origin.c -- see origin.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/origin.h"

#include "base/ascii.h"
#include "base/json.h"
#include "report/parts.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static void
check_sums(const struct report_origin *o)
{
    uint64_t aborted = 0, unknown = 0;
    for (size_t i = 0; i < o->n_failures; i++)
        *(o->failures[i].is_unknown ? &unknown : &aborted) += o->failures[i].n;
    assert(aborted == o->aborted);
    assert(unknown == o->unknown);
    (void)aborted;
    (void)unknown;
}

void
origin_isolation(const char *name, struct buf *out)
{
    for (; *name; name++)
        buf_char(out, *name == '-' ? ' ' : ascii_upper(*name));
}

/* Append "REPEATABLE READ", and what the server made of it where it calls it
 * something else. */
static void
put_isolation(const struct report_origin *o, struct buf *out)
{
    struct buf wanted = {0}, found = {0};
    origin_isolation(o->isolation, &wanted);
    origin_isolation(o->isolation_found, &found);
    if (!wanted.n) {
        buf_text(out, "none requested");
        if (found.n) {
            buf_text(out, "; the server's is ");
            buf_shown(out, found.at);
        }
    } else {
        buf_shown(out, wanted.at);
        if (found.n)
            buf_text(out, strcmp(wanted.at, found.at) == 0
                              ? ", confirmed by the server"
                              : ", but the server says ");
        if (found.n && strcmp(wanted.at, found.at) != 0)
            buf_shown(out, found.at);
    }
    buf_free(&wanted);
    buf_free(&found);
}

/* "update: 10 sessions, 4 keys, 2.9 operations per transaction, 55 % of them
 * reads, seed 7". */
static void
put_workload(const struct report_origin *o, struct buf *out)
{
    const uint64_t all = o->committed + o->aborted + o->unknown;
    assert(o->writes <= o->operations);
    buf_shown(out, o->workload);
    buf_printf(out, ": %" PRIu64 " sessions, ", o->sessions);
    if (o->keys)
        buf_printf(out, "%" PRIu64 " keys, ", o->keys);
    if (all && o->operations)
        buf_printf(
            out, "%.1f operations per transaction, %.0f %% of them reads, ",
            (double)o->operations / (double)all,
            100 * (double)(o->operations - o->writes) / (double)o->operations);
    buf_printf(out, "seed %" PRIu64, o->seed);
}

static void
put_counts(const struct report_origin *o, struct buf *out)
{
    const uint64_t all = o->committed + o->aborted + o->unknown;
    const double rate = o->seconds > 0 ? (double)o->committed / o->seconds : 0;
    buf_printf(out,
               "%" PRIu64 " transactions in %.2f s: %" PRIu64
               " committed (%.0f/s), %" PRIu64 " aborted, %" PRIu64 " unknown",
               all, o->seconds, o->committed, rate, o->aborted, o->unknown);
}

static void
put_failure(const struct report_failure *f, struct buf *out)
{
    buf_printf(out, "%" PRIu64 " x ", f->n);
    buf_shown(out, f->code);
    if (*f->message) {
        buf_text(out, ": ");
        buf_shown(out, f->message);
    }
    buf_text(out, f->is_unknown ? " (outcome unknown)" : "");
}

static void
put_fault(const struct report_fault *f, struct buf *out)
{
    buf_printf(out, "%s of node %zu at %.2f s, until %.2f s", f->kind, f->node,
               f->began, f->ended);
}

static void
put_nemesis(const struct report_nemesis *n, struct buf *out)
{
    buf_shown(out, n->statement);
    buf_printf(out, ": %" PRIu64 " time%s", n->runs, n->runs == 1 ? "" : "s");
    if (n->failures) {
        buf_printf(out, ", %" PRIu64 " refused: ", n->failures);
        buf_shown(out, n->message);
    }
}

/* "server crashed: 3 x 57P02: another process ...; first at 'update ...'" */
void
origin_finding(const struct report_finding *f, struct buf *out)
{
    buf_printf(out, "%s: %" PRIu64 " x ", f->name, f->n);
    buf_shown(out, f->code);
    if (*f->message) {
        buf_text(out, ": ");
        buf_shown(out, f->message);
    }
    if (*f->statement) {
        buf_text(out, "; first at '");
        buf_shown(out, f->statement);
        buf_char(out, '\'');
    }
}

void
origin_findings(const struct report_origin *o, struct buf *out)
{
    for (size_t i = 0; i < o->n_findings; i++) {
        buf_text(out, "finding: ");
        origin_finding(&o->findings[i], out);
        buf_printf(out, "\n  %s (doc/findings.md)\n", o->findings[i].advice);
    }
}

void
origin_text(const struct report_origin *o, struct buf *out)
{
    check_sums(o);
    buf_shown(out, o->note);
    buf_char(out, '\n');
    if (*o->isolation || *o->isolation_found) {
        buf_text(out, "isolation requested: ");
        put_isolation(o, out);
        buf_char(out, '\n');
    }
    buf_text(out, "workload ");
    put_workload(o, out);
    buf_char(out, '\n');
    put_counts(o, out);
    buf_char(out, '\n');
    for (size_t i = 0; i < o->n_failures; i++) {
        buf_text(out, "  ");
        put_failure(&o->failures[i], out);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < o->n_faults; i++) {
        buf_text(out, "  fault: ");
        put_fault(&o->faults[i], out);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < o->n_nemesis; i++) {
        buf_text(out, "  beside it: ");
        put_nemesis(&o->nemesis[i], out);
        buf_char(out, '\n');
    }
    if (o->reconnects)
        buf_printf(out, "  %" PRIu64 " reconnect%s\n", o->reconnects,
                   o->reconnects == 1 ? "" : "s");
}

/* --- JSON ------------------------------------------------------------------*/

static void
put_settings(const char *at, struct buf *out)
{
    json_object(out, "settings");
    while (*at) {
        const size_t n = strcspn(at, "\n");
        const char *sign = strstr(at, " = ");
        assert(sign && sign < at + n);
        struct buf name = {0};
        buf_add(&name, at, (size_t)(sign - at));
        json_bytes(out, name.at, sign + 3, (size_t)(at + n - sign - 3));
        buf_free(&name);
        at += n + (at[n] == '\n');
    }
    json_object_end(out);
}

static void
put_failures(const struct report_origin *o, struct buf *out)
{
    json_array(out, "failures");
    for (size_t i = 0; i < o->n_failures; i++) {
        const struct report_failure *f = &o->failures[i];
        json_object(out, NULL);
        json_text(out, "outcome", f->is_unknown ? "unknown" : "aborted");
        json_u64(out, "count", f->n);
        json_text(out, "code", f->code);
        json_text(out, "message", f->message);
        json_object_end(out);
    }
    json_array_end(out);
}

static void
put_findings(const struct report_origin *o, struct buf *out)
{
    json_array(out, "findings");
    for (size_t i = 0; i < o->n_findings; i++) {
        const struct report_finding *f = &o->findings[i];
        json_object(out, NULL);
        json_text(out, "finding", f->name);
        json_u64(out, "count", f->n);
        json_text(out, "code", f->code);
        json_text(out, "message", f->message);
        json_text(out, "statement", f->statement);
        json_object_end(out);
    }
    json_array_end(out);
}

static void
put_span(double began, double ended, struct buf *out)
{
    json_fixed(out, "began", began, 6);
    json_fixed(out, "ended", ended, 6);
}

static void
put_faults(const struct report_origin *o, struct buf *out)
{
    json_array(out, "faults");
    for (size_t i = 0; i < o->n_faults; i++) {
        const struct report_fault *f = &o->faults[i];
        json_object(out, NULL);
        json_text(out, "kind", f->kind);
        json_u64(out, "node", f->node);
        put_span(f->began, f->ended, out);
        json_object_end(out);
    }
    json_array_end(out);
}

static void
put_statements(const struct report_origin *o, struct buf *out)
{
    json_array(out, "nemesis");
    for (size_t i = 0; i < o->n_nemesis; i++) {
        const struct report_nemesis *n = &o->nemesis[i];
        json_object(out, NULL);
        json_u64(out, "runs", n->runs);
        json_u64(out, "failures", n->failures);
        json_text(out, "statement", n->statement);
        json_text(out, "message", n->message);
        json_array(out, "times");
        for (size_t k = 0; k < n->n_times; k++) {
            json_object(out, NULL);
            put_span(n->times[k].began, n->times[k].ended, out);
            json_object_end(out);
        }
        json_array_end(out);
        json_object_end(out);
    }
    json_array_end(out);
}

void
origin_json(const struct report_origin *o, struct buf *out)
{
    check_sums(o);
    json_object(out, "run");
    json_text(out, "database", o->note);
    json_text(out, "isolation_requested", o->isolation);
    json_text(out, "isolation_found", o->isolation_found);
    put_settings(o->settings, out);
    if (*o->setup)
        json_text(out, "setup", o->setup);
    json_text(out, "workload", o->workload);
    json_u64(out, "sessions", o->sessions);
    json_u64(out, "keys", o->keys);
    json_u64(out, "seed", o->seed);
    json_fixed(out, "seconds", o->seconds, 6);
    json_u64(out, "committed", o->committed);
    json_u64(out, "aborted", o->aborted);
    json_u64(out, "unknown", o->unknown);
    json_u64(out, "operations", o->operations);
    json_u64(out, "writes", o->writes);
    json_u64(out, "reconnects", o->reconnects);
    put_failures(o, out);
    put_findings(o, out);
    put_faults(o, out);
    if (o->n_nemesis)
        put_statements(o, out);
    json_object_end(out);
}

/* --- HTML ------------------------------------------------------------------*/

/* A row of the table; the text is emptied. */
static void
put_row(const char *name, struct buf *text, struct buf *out)
{
    if (text->n) {
        buf_printf(out, "<tr><th scope=\"row\">%s</th><td>", name);
        part_xml(out, text->at);
        buf_text(out, "</td></tr>\n");
    }
    buf_clear(text);
}

void
origin_html(const struct report_origin *o, struct buf *out)
{
    struct buf text = {0};
    buf_text(out, "<details class=\"origin\" open><summary>What was run"
                  "</summary><table>\n");
    for (size_t i = 0; i < o->n_findings; i++) {
        origin_finding(&o->findings[i], &text);
        put_row("finding", &text, out);
    }
    buf_shown(&text, o->note);
    put_row("database", &text, out);
    put_isolation(o, &text);
    put_row("isolation requested", &text, out);
    for (const char *at = o->settings; *at;) {
        const size_t n = strcspn(at, "\n");
        buf_add(&text, at, n);
        at += n + (at[n] == '\n');
        buf_text(&text, *at ? ", " : "");
    }
    put_row("settings", &text, out);
    buf_shown(&text, o->setup);
    put_row("setup", &text, out);
    put_workload(o, &text);
    put_row("workload", &text, out);
    put_counts(o, &text);
    put_row("transactions", &text, out);
    for (size_t i = 0; i < o->n_failures; i++) {
        put_failure(&o->failures[i], &text);
        put_row(o->failures[i].is_unknown ? "outcome unknown" : "aborted",
                &text, out);
    }
    for (size_t i = 0; i < o->n_faults; i++) {
        put_fault(&o->faults[i], &text);
        put_row("fault", &text, out);
    }
    for (size_t i = 0; i < o->n_nemesis; i++) {
        put_nemesis(&o->nemesis[i], &text);
        put_row("beside it", &text, out);
    }
    buf_printf(&text, "%" PRIu64, o->reconnects);
    put_row("reconnects", &text, out);
    buf_text(out, "</table></details>\n");
    buf_free(&text);
}
