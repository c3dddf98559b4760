/* parts.c -- see parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

/* --- words -----------------------------------------------------------------*/

const char *
part_verdict(enum verdict v)
{
    return v == VERDICT_OK         ? "ok"
           : v == VERDICT_VIOLATED ? "violated"
                                   : "unknown";
}

const char *
part_edge(enum edge_kind kind)
{
    switch (kind) {
    case EDGE_SO:
        return "so";
    case EDGE_WR:
        return "wr";
    case EDGE_WW:
        return "ww";
    case EDGE_RW:
        return "rw";
    case EDGE_TIME:
        return "time";
    default:
        return "co";
    }
}

const char *
part_status(enum txn_status status)
{
    switch (status) {
    case TXN_ABORTED:
        return "aborted";
    case TXN_INDETERMINATE:
        return "indeterminate";
    case TXN_LOADING:
        return "loading";
    default:
        return "committed";
    }
}

void
part_other_names(const struct anomaly *a, struct buf *out)
{
    const char *adya = anomaly_table[a->kind].adya;
    if (*adya)
        buf_printf(out, "Adya: %s", adya);
    if (*a->also)
        buf_printf(out, "%sElle: %s", *adya ? ", " : "", a->also);
}

void
part_holds(const struct anomaly *a, struct buf *out)
{
    const level_set strongest = level_strongest(a->holds);
    bool first = true;
    buf_text(out, strongest ? "These transactions still satisfy "
                  : level_set_has(a->violated, level_lowest(level_ordered()))
                      ? "These transactions satisfy no level"
                      : "It was not decided in time which levels these "
                        "transactions satisfy");
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(strongest, l)) {
            buf_text(out, first ? "" : " and ");
            buf_text(out, level_table[l].title);
            first = false;
        }
    if (a->unfinished)
        buf_text(out, ". The reduction ran out of time and is not minimal: "
                      "fewer of them may do");
}

size_t
part_unlisted(const struct anomaly *a)
{
    size_t listed = 0;
    for (size_t i = 0; i < a->txns.n; i++)
        listed += !a->txns.at[i].is_context && !a->txns.at[i].is_init;
    return a->involved - listed;
}

bool
part_has_more(const struct explanation *e)
{
    return e->more || e->cut_short || (e->capped && e->anomalies.n > 1);
}

/* How many anomalies are known of, shown or not. */
static size_t
count_known(const struct explanation *e)
{
    return e->anomalies.n + e->more;
}

void
part_more(const struct explanation *e, struct buf *out)
{
    if (e->stop.kind) {
        buf_text(out, "not explained: ");
        limit_show(&e->stop, out);
    } else if (e->cut_short && !e->anomalies.n) {
        buf_text(out, "a limit was reached before this was explained");
    } else if (part_has_more(e)) {
        buf_printf(out, "%zu of %s%zu anomalies shown", e->anomalies.n,
                   e->capped || e->cut_short ? "at least " : "",
                   count_known(e));
        buf_text(out, e->cut_short
                          ? "; more were not looked for, for lack of time"
                          : "");
    }
}

void
part_verdict_and_more(const struct level_result *r, const struct explanation *e,
                      struct buf *out)
{
    report_verdict(r, e, out);
    if (part_has_more(e)) {
        buf_text(out, ", ");
        part_more(e, out);
    }
}

void
part_undrawn(const struct report_run *run, struct buf *out)
{
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct level_result *r = &run->check->results.at[i];
        const struct explanation *e = &run->explanations[i];
        if (e->anomalies.n || r->certificate.verdict == VERDICT_OK)
            continue;
        buf_text(out, out->n ? "; " : "");
        part_verdict_and_more(r, e, out);
    }
}

/* Append "snapshot (si), prefix (pc)". */
static void
put_level_names(level_set set, struct buf *out)
{
    const char *between = "";
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(set, l)) {
            buf_printf(out, "%s%s (%s)", between, level_table[l].name,
                       level_table[l].brief);
            between = ", ";
        }
}

static bool
has_gaps(const struct check *c)
{
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].certificate.verdict == VERDICT_OK &&
            c->results.at[i].reason[0])
            return true;
    return false;
}

void
part_strongest(const struct check *c, struct buf *out)
{
    const level_set strongest = check_strongest(c);
    level_set unknown = 0;
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].certificate.verdict == VERDICT_UNKNOWN)
            unknown |= 1u << c->results.at[i].level;
    if (!strongest)
        buf_text(out, unknown ? "no level is known to hold" : "no level holds");
    else
        buf_printf(out, "strongest level%s that hold%s: ",
                   strongest & (strongest - 1) ? "s" : "",
                   strongest & (strongest - 1) ? "" : "s");
    put_level_names(strongest, out);
    if (strongest && has_gaps(c))
        buf_text(out, ", as far as it was recorded");
    if (unknown) {
        buf_text(out, "; not decided: ");
        put_level_names(unknown, out);
    }
    if (c->skipped) {
        buf_text(out, "; not checked, for lack of begin and end times: ");
        put_level_names(c->skipped, out);
    }
}

/* --- escaping --------------------------------------------------------------*/

bool
part_has_claim(const struct level_result *r)
{
    return r->claim != CLAIM_NONE || r->claim_reason[0];
}

void
part_claim(const struct level_result *r, struct buf *out)
{
    assert(part_has_claim(r));
    buf_text(out, "the order of the timestamps ");
    if (r->claim == CLAIM_HOLDS)
        buf_text(out, "explains the history");
    else
        buf_printf(out, "%s: %s",
                   r->claim == CLAIM_NONE   ? "was not tried"
                   : r->claim == CLAIM_OPEN ? "is open"
                                            : "is contradicted",
                   r->claim_reason);
}

void
part_xml(struct buf *out, const char *text)
{
    const size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        const size_t n = utf8_length(text + i, len - i);
        const char c = text[i];
        const bool noncharacter = n == 3 &&
                                  memcmp(text + i, "\xef\xbf", 2) == 0 &&
                                  (unsigned char)text[i + 2] >= 0xbe;
        if (!n || (n == 1 && c < 0x20 && c != '\n' && c != '\t') ||
            noncharacter)
            buf_text(out, "\xef\xbf\xbd");
        else if (c == '<')
            buf_text(out, "&lt;");
        else if (c == '>')
            buf_text(out, "&gt;");
        else if (c == '&')
            buf_text(out, "&amp;");
        else if (c == '"')
            buf_text(out, "&quot;");
        else if (c == '\'')
            buf_text(out, "&#39;");
        else
            buf_add(out, text + i, n);
        i += n ? n : 1;
    }
}

void
part_markdown(struct buf *out, const char *text)
{
    // Characters that begin a list, a heading or a rule matter at the start.
    if (*text && strchr("-+=0123456789", *text))
        buf_text(out, "&#8203;");
    for (; *text; text++) {
        const bool address = strncmp(text, "://", 3) == 0;
        if (address || strchr("<>&@", *text))
            buf_printf(out, "&#%d;",
                       *text); // prevents tags, mentions and links
        else if (strchr("\\`*_[]#|~", *text))
            buf_printf(out, "\\%c", *text);
        else
            buf_char(out, *text == '\n' ? ' ' : *text);
    }
}

void
part_uri(struct buf *out, const char *path)
{
    buf_char(out, '"');
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        if (ascii_is_alnum(*path) || strchr("-._~/", c))
            buf_char(out, (char)c);
        else
            buf_printf(out, "%%%02X", c);
    }
    buf_char(out, '"');
}
