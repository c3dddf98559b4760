/* page.c -- the findings as one page, for developers who know nothing of
 * isolation levels; see audit.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/audit.h"

#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--sheet:#f6f8fa;--ink:#1c2128;"
    "--soft:#57606a;--line:#d0d7de;--bad:#cf222e;--bad-paper:#ffebe9;"
    "--good:#1a7f37;--good-paper:#dafbe1;--maybe:#9a6700;"
    "--maybe-paper:#fff8c5}"
    "@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--sheet:#161b22;"
    "--ink:#e6edf3;--soft:#9da7b3;--line:#3d444d;--bad:#ff7b72;"
    "--bad-paper:#3c1618;--good:#56d364;--good-paper:#12321b;--maybe:#e3b341;"
    "--maybe-paper:#362a0c}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:0 16px 64px;max-width:1100px;"
    "background:var(--paper);color:var(--ink);"
    "font:15px/1.55 system-ui,-apple-system,\"Segoe UI\",sans-serif}"
    "h1{font-size:22px;margin:24px 0 4px}h2{font-size:18px;margin:0}"
    "p{margin:6px 0;overflow-wrap:anywhere}.soft{color:var(--soft)}"
    "code{font:13px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"
    "overflow-wrap:anywhere}"
    "section,details{border:1px solid var(--line);border-radius:8px;"
    "padding:14px 16px;margin:18px 0}"
    "section.shown{border-left:5px solid var(--bad)}"
    ".tag{display:inline-block;border-radius:12px;padding:1px 10px;"
    "font-size:13px;margin-left:8px;white-space:nowrap}"
    ".shown .tag{background:var(--bad-paper);color:var(--bad)}"
    ".open .tag{background:var(--maybe-paper);color:var(--maybe)}"
    ".fix{background:var(--good-paper);border-radius:6px;padding:8px 12px;"
    "margin-top:12px}"
    ".none{background:var(--good-paper);border-radius:6px;padding:12px 14px}"
    ".untested{background:var(--maybe-paper);border-radius:6px;"
    "padding:12px 14px}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;margin-top:10px;"
    "table-layout:fixed;min-width:600px}"
    "th,td{border:1px solid var(--line);padding:5px 8px;text-align:left;"
    "vertical-align:top}th{background:var(--sheet)}th.n,td.n{width:38px;"
    "color:var(--soft);text-align:right}"
    ".stale{background:var(--maybe-paper)}"
    ".sees{display:block;font-size:13px;color:var(--maybe);font-weight:600}"
    "ul.index{padding-left:20px}summary{cursor:pointer;font-weight:600}";

/* Text of a database or a user, escaped; what stands between backquotes is
 * code. */
static void
put(struct buf *out, const char *text)
{
    bool is_code = false;
    for (; *text; text++) {
        if (*text == '`') {
            buf_text(out, is_code ? "</code>" : "<code>");
            is_code = !is_code;
            continue;
        }
        const unsigned char c = (unsigned char)*text;
        if (c == '<')
            buf_text(out, "&lt;");
        else if (c == '>')
            buf_text(out, "&gt;");
        else if (c == '&')
            buf_text(out, "&amp;");
        else if (c == '"')
            buf_text(out, "&quot;");
        else if (c < ' ' || c == 0x7f)
            buf_char(out, ' ');
        else
            buf_char(out, *text);
    }
    if (is_code)
        buf_text(out, "</code>");
}

static const char *
say_outcome(const struct audit_finding *f)
{
    static const char *const words[] = {
        [TRIAL_NOT_RUN] = "not tried",
        [TRIAL_PREVENTED] = "cannot go wrong",
        [TRIAL_DIVERGED] = "could not be tried",
        [TRIAL_NOT_SHOWN] = "did not happen when tried",
        [TRIAL_IF] = "happens if the application goes on",
        [TRIAL_SHOWN] = "happened on the database"};
    return words[f->outcome];
}

static void
put_steps(const struct audit_finding *f, struct buf *out)
{
    buf_text(out, "<div class=wide><table><tr><th class=n></th>");
    for (size_t i = 0; i < f->names.n; i++) {
        buf_text(out, "<th>");
        put(out, f->names.at[i]);
        buf_text(out, "</th>");
    }
    buf_text(out, "</tr>");
    for (size_t i = 0; i < f->steps.n; i++) {
        const struct audit_step *s = &f->steps.at[i];
        buf_printf(out, "<tr><td class=n>%zu</td>", i + 1);
        for (size_t k = 0; k < f->names.n; k++) {
            if (k != s->column) {
                buf_text(out, "<td></td>");
                continue;
            }
            buf_text(out, s->sees ? "<td class=stale><code>" : "<td><code>");
            put(out, s->sql);
            buf_text(out, "</code>");
            if (s->sees) {
                buf_text(out, "<span class=sees>");
                put(out, s->sees);
                buf_text(out, "</span>");
            }
            buf_text(out, "</td>");
        }
        buf_text(out, "</tr>");
    }
    buf_text(out, "</table></div>");
}

static void
put_finding(const struct audit_finding *f, size_t number, struct buf *out)
{
    buf_printf(out, "<section id=f%zu class=%s><h2>", number,
               f->outcome == TRIAL_SHOWN ? "shown" : "open");
    put(out, f->endpoints);
    buf_text(out, ": ");
    put(out, f->kind);
    buf_printf(out, "<span class=tag>%s</span></h2><p>", say_outcome(f));
    put(out, f->sentence);
    buf_text(out, "</p>");
    if (f->why[0]) {
        buf_text(out, "<p class=soft>The trial: ");
        put(out, f->why);
        buf_text(out, "</p>");
    }
    if (f->is_open)
        buf_text(out, "<p class=soft>The recording does not say what these "
                      "transactions lock.</p>");
    if (f->repair[0]) {
        buf_text(out, "<p class=fix><b>What to change.</b> ");
        put(out, f->repair);
        if (f->is_checked)
            buf_text(out, " <span class=soft>(Assay checked that this change "
                          "prevents it.)</span>");
        buf_text(out, "</p>");
    }
    buf_printf(out,
               "<p class=soft>%s, statement by statement, from top to "
               "bottom. Each column is one request.</p>",
               f->outcome == TRIAL_SHOWN ? "How it happened"
                                         : "What was tried");
    put_steps(f, out);
    if (f->others)
        buf_printf(out,
                   "<p class=soft>%zu more prediction%s about the same "
                   "endpoints.</p>",
                   f->others, f->others == 1 ? "" : "s");
    buf_text(out, "</section>");
}

static void
put_index(const struct audit *a, struct buf *out)
{
    buf_text(out, "<ul class=index>");
    for (size_t i = 0; i < a->findings.n; i++) {
        if (a->findings.at[i].outcome == TRIAL_PREVENTED)
            continue;
        buf_printf(out, "<li><a href=#f%zu>", i);
        put(out, a->findings.at[i].endpoints);
        buf_text(out, "</a>: ");
        put(out, a->findings.at[i].kind);
        buf_printf(out, " <span class=soft>(%s)</span></li>",
                   say_outcome(&a->findings.at[i]));
    }
    buf_text(out, "</ul>");
}

/* Those that are prevented, or those that are neither that nor shown. */
static void
put_others(const struct audit *a, bool prevented, struct buf *out)
{
    const size_t n =
        prevented ? a->prevented : a->findings.n - a->shown - a->prevented;
    if (!n)
        return;
    buf_printf(out, "<details%s><summary>%zu %s</summary>",
               prevented || a->shown ? "" : " open", n,
               prevented ? "that cannot go wrong: the database or the "
                           "application prevents it"
                         : "that may go wrong, and that the database did not "
                           "show");
    for (size_t i = 0; i < a->findings.n; i++) {
        const enum trial_outcome outcome = a->findings.at[i].outcome;
        if (outcome != TRIAL_SHOWN && (outcome == TRIAL_PREVENTED) == prevented)
            put_finding(&a->findings.at[i], i, out);
    }
    buf_text(out, "</details>");
}

static void
put_nothing(const struct audit *a, struct buf *out)
{
    if (a->is_untested)
        buf_printf(out, "<p class=untested>Nothing was tested: %s.</p>",
                   audit_untested(a));
    else
        buf_printf(out, "<p class=none>No race was found%s.</p>",
                   a->is_cut      ? " within the limits"
                   : a->is_serial ? ": this database runs them as if they came "
                                    "one after the other"
                                  : "");
}

void
audit_page(const struct audit *a, const struct audit_options *o,
           struct buf *out)
{
    buf_printf(out,
               "<!doctype html><html lang=en><meta charset=utf-8><meta "
               "name=viewport content=\"width=device-width\"><title>Requests "
               "at the same time</title><style>%s</style><h1>What goes wrong "
               "when requests come at the same time</h1>",
               style);
    buf_printf(out,
               "<p>Your test suite sent %zu transactions of %zu endpoints, one "
               "after the other. Assay asked which of them go wrong when they "
               "come at the same time on %s, and tried each case on a copy of "
               "the database.</p>",
               a->txns, a->endpoints, o->on->title);
    if (a->findings.n == a->prevented)
        put_nothing(a, out);
    else
        put_index(a, out);
    if (a->findings.n)
        buf_text(out, "<p class=soft>The statements are those that the test "
                      "suite sent, so values in them are those of its run. "
                      "Endpoints have numbers: &quot;withdraw 2&quot; is the "
                      "second request of withdraw.</p>");
    if (a->partial)
        buf_printf(out,
                   "<p class=soft>%zu of the transactions have reads that "
                   "could not be recorded; races by these reads are not "
                   "found.</p>",
                   a->partial);
    for (size_t i = 0; i < a->findings.n; i++)
        if (a->findings.at[i].outcome == TRIAL_SHOWN)
            put_finding(&a->findings.at[i], i, out);
    put_others(a, false, out);
    put_others(a, true, out);
    buf_text(out, "</html>\n");
}
