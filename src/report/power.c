/* power.c -- see power.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/power.h"

#include "base/json.h"
#include "report/parts.h"

#include <assert.h>
#include <inttypes.h>

enum { ENOUGH = 30 }; // chances

#define BIT(level) (1u << (level))

/* An anomaly, what its chances are, and the levels that it tests. */
static const struct power_row {
    const char *name, *title, *what;
    level_set tests;
} rows[CHANCES] = {
    [CHANCE_ABORTED_READ] = {"aborted-read", "aborted read",
                             "pairs: one read a key that the other wrote "
                             "before it was rolled back",
                             0},
    [CHANCE_INTERMEDIATE] = {"not-latest-write", "intermediate read",
                             "pairs: one read a key that the other wrote twice",
                             0},
    [CHANCE_FRACTURED] = {"fractured-read", "fractured read",
                          "pairs: one read two keys that the other wrote",
                          BIT(LEVEL_RC) | BIT(LEVEL_RA)},
    [CHANCE_SESSION] = {"non-monotonic-read", "session violation",
                        "reads of a key that the session had used before",
                        BIT(LEVEL_CC)},
    [CHANCE_LONG_FORK] = {"long-fork", "long fork",
                          "readers of two keys that two others wrote",
                          BIT(LEVEL_PC) | BIT(LEVEL_SI) | BIT(LEVEL_STRICT_SI)},
    [CHANCE_LOST_UPDATE] = {"lost-update", "lost update",
                            "pairs that both read and wrote a key",
                            BIT(LEVEL_PSI) | BIT(LEVEL_SI) |
                                BIT(LEVEL_STRICT_SI)},
    [CHANCE_WRITE_SKEW] = {"write-skew", "write skew",
                           "pairs: each read a key that the other wrote",
                           BIT(LEVEL_SER) | BIT(LEVEL_STRICT_SER)},
};

void
power_text(const struct overlap *p, struct buf *out)
{
    const char *least = p->is_partial ? ">= " : "";
    buf_printf(out, "  %-22s %12" PRIu64 "\n", "committed", p->committed);
    buf_printf(out, "  %-22s %s%12" PRIu64 "%s\n", "overlapping pairs", least,
               p->pairs,
               p->has_times ? "" : "  (no times: any of different sessions)");
    buf_printf(out, "  %-22s %s%12" PRIu64 "\n", "  in conflict", least,
               p->conflicts);
    buf_text(out, "  how often an anomaly could have shown\n");
    for (int c = 0; c < CHANCES; c++)
        buf_printf(out, "    %-20s %s%12" PRIu64 "  %s\n", rows[c].title, least,
                   p->chances[c], rows[c].what);
}

/* A list of counts that are too small: "10 chances for write skew and 3 for
 * lost update". */
struct shortage {
    struct buf text, last; // without the last one, and that one
    size_t n;
};

/* Add a count with its unit, and the anomaly that it is for, or NULL. */
static void
add_shortage(struct shortage *s, uint64_t count, const char *unit,
             const char *anomaly)
{
    if (count >= ENOUGH)
        return;
    if (s->n++)
        buf_printf(&s->text, "%s%s", s->text.n ? ", " : "", s->last.at);
    buf_clear(&s->last);
    buf_printf(&s->last, "%" PRIu64 "%s%s%s", count, *unit ? " " : "", unit,
               count == 1 || !*unit ? "" : "s");
    if (anomaly)
        buf_printf(&s->last, " for %s", anomaly);
}

/* What there is too little of for a test of these levels. */
static void
find_shortage(const struct overlap *p, level_set levels, struct shortage *s)
{
    bool named = false; // "chances" are
    if (!levels)
        return; // nothing held
    add_shortage(s, p->committed, "committed transaction", NULL);
    if (p->is_partial)
        return; // the counts are at least these
    if (levels & BIT(LEVEL_READS))
        add_shortage(s, p->conflicts, "conflicting pair", NULL);
    for (int c = 0; c < CHANCES; c++) {
        if (!(rows[c].tests & levels) || p->chances[c] >= ENOUGH)
            continue;
        add_shortage(s, p->chances[c], named ? "" : "chance", rows[c].title);
        named = true;
    }
}

void
power_weakness(const struct overlap *p, level_set levels, struct buf *out)
{
    struct shortage s = {0};
    find_shortage(p, levels, &s);
    if (s.n)
        buf_printf(out,
                   "only %s%s%s (%d wanted%s); %" PRIu64 " of %" PRIu64
                   " overlapping pairs conflicted",
                   s.text.n ? s.text.at : "", s.n > 1 ? " and " : "", s.last.at,
                   ENOUGH, s.n > 1 ? " of each" : "", p->conflicts, p->pairs);
    buf_free(&s.text);
    buf_free(&s.last);
}

void
power_advice(const struct overlap *p, level_set levels, bool is_own,
             struct buf *out)
{
    const size_t before = out->n;
    power_weakness(p, levels, out);
    if (out->n > before)
        buf_printf(out,
                   ". Run more transactions%s in more sessions%s on fewer "
                   "keys%s, and make them last longer%s",
                   is_own ? " (--txns)" : "", is_own ? " (--sessions)" : "",
                   is_own ? " (--keys)" : "", is_own ? " (--pause)" : "");
}

level_set
power_levels(const struct check *c)
{
    level_set set = 0;
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].certificate.verdict == VERDICT_OK)
            set |= BIT(c->results.at[i].level);
    return set;
}

void
power_json(const struct overlap *p, level_set levels, bool is_own,
           struct buf *out)
{
    struct buf weakness = {0};
    power_advice(p, levels, is_own, &weakness);
    json_object(out, "power");
    json_u64(out, "committed", p->committed);
    json_u64(out, "overlapping_pairs", p->pairs);
    json_u64(out, "conflicting_pairs", p->conflicts);
    json_bool(out, "times", p->has_times);
    json_bool(out, "at_least", p->is_partial);
    json_object(out, "chances");
    for (int c = 0; c < CHANCES; c++)
        json_u64(out, rows[c].name, p->chances[c]);
    json_object_end(out);
    if (weakness.n)
        json_text(out, "weak", weakness.at);
    json_object_end(out);
    buf_free(&weakness);
}

void
power_html(const struct overlap *p, struct buf *out)
{
    const char *least = p->is_partial ? "at least " : "";
    assert(p->conflicts <= p->pairs);
    buf_printf(out,
               "<details class=\"power\"><summary>How much was tested: "
               "%" PRIu64 " committed transactions, %s%" PRIu64
               " overlapping pairs of transactions, %s%" PRIu64
               " of them in conflict</summary><table><tr><th>anomaly</th>"
               "<th>could have shown</th><th>because of</th></tr>",
               p->committed, least, p->pairs, least, p->conflicts);
    for (int c = 0; c < CHANCES; c++)
        buf_printf(
            out, "<tr><td>%s</td><td>%s%" PRIu64 " times</td><td>%s</td></tr>",
            rows[c].title, least, p->chances[c], rows[c].what);
    buf_text(out, "</table></details>\n");
}
