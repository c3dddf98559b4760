/* origin.c -- see origin.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/origin.h"

#include "base/ascii.h"
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
static void
put_finding(const struct report_finding *f, struct buf *out)
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
        put_finding(&o->findings[i], out);
        buf_printf(out, "\n  %s\n", o->findings[i].advice);
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
put_member(const char *name, const char *text, struct buf *out)
{
    buf_printf(out, ",\"%s\":", name);
    part_json(out, text);
}

static void
put_settings(const char *at, struct buf *out)
{
    const char *between = "";
    buf_text(out, ",\"settings\":{");
    while (*at) {
        const size_t n = strcspn(at, "\n");
        const char *sign = strstr(at, " = ");
        assert(sign && sign < at + n);
        buf_text(out, between);
        buf_json(out, at, (size_t)(sign - at));
        buf_char(out, ':');
        buf_json(out, sign + 3, (size_t)(at + n - sign - 3));
        between = ",";
        at += n + (at[n] == '\n');
    }
    buf_char(out, '}');
}

static void
put_findings(const struct report_origin *o, struct buf *out)
{
    buf_text(out, ",\"findings\":[");
    for (size_t i = 0; i < o->n_findings; i++) {
        const struct report_finding *f = &o->findings[i];
        buf_printf(out, "%s{\"finding\":\"%s\",\"count\":%" PRIu64,
                   i ? "," : "", f->name, f->n);
        put_member("code", f->code, out);
        put_member("message", f->message, out);
        put_member("statement", f->statement, out);
        buf_char(out, '}');
    }
    buf_char(out, ']');
}

void
origin_json(const struct report_origin *o, struct buf *out)
{
    check_sums(o);
    buf_text(out, "{\"database\":");
    part_json(out, o->note);
    put_member("isolation_requested", o->isolation, out);
    put_member("isolation_found", o->isolation_found, out);
    put_settings(o->settings, out);
    if (*o->setup)
        put_member("setup", o->setup, out);
    put_member("workload", o->workload, out);
    buf_printf(out,
               ",\"sessions\":%" PRIu64 ",\"keys\":%" PRIu64
               ",\"seed\":%" PRIu64 ",\"seconds\":%.6f,\"committed\":%" PRIu64
               ",\"aborted\":%" PRIu64 ",\"unknown\":%" PRIu64
               ",\"operations\":%" PRIu64 ",\"writes\":%" PRIu64
               ",\"reconnects\":%" PRIu64 ",\"failures\":[",
               o->sessions, o->keys, o->seed, o->seconds, o->committed,
               o->aborted, o->unknown, o->operations, o->writes, o->reconnects);
    for (size_t i = 0; i < o->n_failures; i++) {
        const struct report_failure *f = &o->failures[i];
        buf_printf(out, "%s{\"outcome\":\"%s\",\"count\":%" PRIu64,
                   i ? "," : "", f->is_unknown ? "unknown" : "aborted", f->n);
        put_member("code", f->code, out);
        put_member("message", f->message, out);
        buf_char(out, '}');
    }
    buf_char(out, ']');
    put_findings(o, out);
    buf_text(out, ",\"faults\":[");
    for (size_t i = 0; i < o->n_faults; i++)
        buf_printf(out,
                   "%s{\"kind\":\"%s\",\"node\":%zu,\"began\":%.6f,"
                   "\"ended\":%.6f}",
                   i ? "," : "", o->faults[i].kind, o->faults[i].node,
                   o->faults[i].began, o->faults[i].ended);
    buf_char(out, ']');
    for (size_t i = 0; i < o->n_nemesis; i++) {
        const struct report_nemesis *n = &o->nemesis[i];
        buf_printf(out, "%s{\"runs\":%" PRIu64 ",\"failures\":%" PRIu64,
                   i ? "," : ",\"nemesis\":[", n->runs, n->failures);
        put_member("statement", n->statement, out);
        put_member("message", n->message, out);
        buf_text(out, ",\"times\":[");
        for (size_t k = 0; k < n->n_times; k++)
            buf_printf(out, "%s{\"began\":%.6f,\"ended\":%.6f}", k ? "," : "",
                       n->times[k].began, n->times[k].ended);
        buf_text(out, "]}");
    }
    buf_text(out, o->n_nemesis ? "]}" : "}");
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
        put_finding(&o->findings[i], &text);
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
