/* answer.c -- see answer.h.
 *
 * Anomalies of one kind have the same meaning and the same remedy, so they
 * stand together: the first one found is shown, the others are counted.  The
 * same anomaly, found again at a stronger level, counts once.
 *
 * SPDX-License-Identifier: MIT */
#include "report/answer.h"

#include "base/json.h"
#include "explain/advice.h"
#include "explain/promise.h"
#include "report/page/words.h"
#include "report/parts.h"

#include <assert.h>
#include <string.h>

enum { MOST_KINDS = 3 }; // that are shown; the others are named

/* --- levels ----------------------------------------------------------------*/

bool
answer_applies(const struct report_run *run)
{
    return (run->check->all || run->origin) && run->check->results.n &&
           !run->sides && *run->format;
}

static int
verdict_in(const struct check *c, enum level level)
{
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].level == level)
            return (int)c->results.at[i].certificate.verdict;
    return -1;
}

/* What follows for a level from others that were decided. */
static int
implied_by(const struct check *c, enum level level)
{
    for (size_t i = 0; i < c->results.n; i++) {
        const struct level_result *r = &c->results.at[i];
        const enum verdict v = r->certificate.verdict;
        if (v == VERDICT_OK && level_implies(r->level, level))
            return VERDICT_OK;
        if (v == VERDICT_VIOLATED && level_implies(level, r->level))
            return VERDICT_VIOLATED;
    }
    return -1;
}

int
answer_verdict(const struct report_run *run, enum level level)
{
    int v = verdict_in(run->check, level);
    if (v < 0 && run->others)
        v = verdict_in(run->others, level);
    if (v < 0)
        v = implied_by(run->check, level);
    if (v < 0 && run->others)
        v = implied_by(run->others, level);
    return v;
}

/* Whether the answer is about a level: a strict one has to be asked for, and
 * read consistency is part of all others. */
static bool
is_told(const struct report_run *run, int level)
{
    return !level_is_orderless((enum level)level) &&
           answer_verdict(run, (enum level)level) >= 0 &&
           (!level_table[level].needs_times ||
            verdict_in(run->check, (enum level)level) >= 0);
}

static level_set
levels_with(const struct report_run *run, enum verdict verdict)
{
    level_set set = 0;
    for (int l = 0; l < LEVELS; l++)
        if (is_told(run, l) &&
            answer_verdict(run, (enum level)l) == (int)verdict)
            set |= 1u << l;
    return set;
}

/* Those from which no other one of the set follows. */
static level_set
weakest_of(level_set set)
{
    level_set weakest = 0;
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(set, l) && !(level_implied(l) & ~level_bit(l) & set))
            weakest |= level_bit(l);
    return weakest;
}

static void
put_titles(level_set set, struct buf *out)
{
    const char *between = "";
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(set, l)) {
            const level_set left = set & ~((2u << l) - 1);
            buf_printf(out, "%s%s", between, level_table[l].title);
            between = left & (left - 1) ? ", " : " and ";
        }
}

static void
put_subject(const struct report_run *run, struct buf *out)
{
    const struct report_origin *o = run->origin;
    buf_shown(out, o ? o->database : run->path);
    if (!o || !*o->isolation)
        return;
    buf_text(out, ", ");
    origin_isolation(o->isolation, out);
}

void
answer_sentence(const struct report_run *run, struct buf *out)
{
    const level_set held = level_strongest(levels_with(run, VERDICT_OK));
    const level_set violated = weakest_of(levels_with(run, VERDICT_VIOLATED));
    const level_set unknown = weakest_of(levels_with(run, VERDICT_UNKNOWN));
    assert(answer_applies(run));
    put_subject(run, out);
    buf_text(out, ": ");
    if (held) {
        put_titles(held, out);
        buf_text(out, run->partial && run->partial->txns
                          ? " held, as far as it was recorded"
                          : " held");
    }
    if (violated) {
        buf_text(out, held ? ", " : "no level held, not even ");
        put_titles(violated, out);
        buf_text(out, held ? " did not" : "");
    }
    if (unknown) {
        buf_text(out, held || violated ? "; not decided: " : "not decided: ");
        put_titles(unknown, out);
    }
}

/* Whether a violation is known to be what the manual says, or against it: only
 * of one node that nothing disturbed, in a session without other settings. */
bool
answer_promise(const struct report_run *run, struct buf *out)
{
    const struct report_origin *o = run->origin;
    const level_set violated = levels_with(run, VERDICT_VIOLATED);
    struct promise promise;
    if (!o || !violated || o->nodes != 1 || o->n_faults || *o->setup)
        return false;
    const char *level = *o->isolation ? o->isolation : o->isolation_found;
    if (!promise_find(o->database, advice_isolation_of(level), o->settings,
                      &promise))
        return false;
    const int verdict = answer_verdict(run, promise.level);
    const bool is_named = advice_isolation_of(level) != ADVICE_NO_ISOLATION;
    if (verdict != VERDICT_OK && verdict != VERDICT_VIOLATED)
        return false;
    if (verdict == VERDICT_OK) {
        buf_printf(out, "%s documents this", promise.name);
        if (is_named) {
            buf_text(out, " for ");
            origin_isolation(level, out);
        }
        buf_printf(out, ", which promises %s",
                   level_table[promise.level].title);
    } else {
        buf_printf(out, "This contradicts the manual of %s: ", promise.name);
        if (is_named)
            origin_isolation(level, out);
        else
            buf_text(out, "every transaction");
        buf_printf(out, is_named ? " promises %s" : " is promised %s",
                   level_table[promise.level].title);
    }
    return true;
}

/* --- kinds of anomalies ----------------------------------------------------*/

struct kind {
    const struct anomaly *first;
    size_t n;
};

static bool
was_before(const struct report_run *run, size_t row, const struct anomaly *a)
{
    for (size_t i = 0; i < row; i++) {
        const struct explanation *e = &run->explanations[i];
        for (size_t j = 0; j < e->anomalies.n; j++)
            if (strcmp(e->anomalies.at[j].story, a->story) == 0)
                return true;
    }
    return false;
}

static void
group_anomalies(const struct report_run *run, struct kind out[ANOMALY_KINDS])
{
    memset(out, 0, ANOMALY_KINDS * sizeof *out);
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct explanation *e = &run->explanations[i];
        for (size_t j = 0; j < e->anomalies.n; j++) {
            const struct anomaly *a = &e->anomalies.at[j];
            struct kind *k = &out[a->kind];
            if (was_before(run, i, a))
                continue;
            k->first = k->first ? k->first : a;
            k->n++;
        }
    }
}

/* --- text ------------------------------------------------------------------*/

static const char *
verdict_in_words(int v)
{
    return v == VERDICT_OK         ? "held"
           : v == VERDICT_VIOLATED ? "violated"
                                   : "not decided";
}

/* Whether the answer is about a level that has no verdict line. */
static bool
has_unasked(const struct report_run *run)
{
    for (int l = 0; l < LEVELS; l++)
        if (is_told(run, l) && verdict_in(run->check, (enum level)l) < 0)
            return true;
    return false;
}

static void
put_table(const struct report_run *run, struct buf *out)
{
    for (int l = 0; l < LEVELS; l++) {
        const int v = answer_verdict(run, (enum level)l);
        if (!is_told(run, l))
            continue;
        buf_printf(out, "    %-29s%s\n", level_table[l].title,
                   verdict_in_words(v));
    }
}

/* What to do about a kind, for this database and its level. */
static void
find_remedy(const struct report_run *run, int kind, struct buf *out)
{
    const struct report_origin *o = run->origin;
    advice_remedy((enum anomaly_kind)kind, o ? o->database : "",
                  o ? advice_isolation_of(o->isolation) : ADVICE_NO_ISOLATION,
                  out);
}

/* The advice: the first kind in full, the others on one line each. */
static void
put_kinds(const struct report_run *run, struct buf *out)
{
    struct kind kinds[ANOMALY_KINDS];
    size_t shown = 0;
    group_anomalies(run, kinds);
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        if (!kinds[k].n)
            continue;
        if (shown == MOST_KINDS) {
            buf_printf(out, "  Also found: %s.\n", anomaly_table[k].title);
            continue;
        }
        struct buf remedy = {0};
        find_remedy(run, k, &remedy);
        if (!shown++) {
            buf_printf(out, "\n  What can go wrong: %s\n",
                       advice_table[k].risk);
            buf_printf(out, "  What to do: %s\n", remedy.at);
            buf_printf(out, "  More: doc/anomalies.md, \"%s\".\n",
                       anomaly_table[k].title);
        } else {
            buf_printf(out, "  Also %s: %s\n", anomaly_table[k].title,
                       remedy.at);
        }
        buf_free(&remedy);
    }
}

void
answer_text(const struct report_run *run, const struct report_style *s,
            struct buf *out)
{
    struct buf text = {0};
    buf_char(out, '\n');
    if (s->colour)
        buf_text(out, "\033[1m");
    answer_sentence(run, out);
    buf_text(out, s->colour ? "\033[0m\n" : "\n");
    struct buf promise = {0};
    if (answer_promise(run, &promise))
        buf_printf(&text, "  %s.\n", promise.at);
    buf_free(&promise);
    if (levels_with(run, VERDICT_VIOLATED) && has_unasked(run)) {
        buf_char(&text, '\n');
        put_table(run, &text);
    }
    put_kinds(run, &text);
    if (s->width && text.n)
        part_wrap(text.at, s->width, out);
    else
        buf_add(out, text.at, text.n);
    buf_free(&text);
}

/* --- Markdown --------------------------------------------------------------*/

void
answer_markdown(const struct report_run *run, struct buf *out)
{
    struct buf line = {0};
    struct kind kinds[ANOMALY_KINDS];
    answer_sentence(run, &line);
    buf_text(out, "**");
    part_markdown(out, line.at);
    buf_text(out, ".**\n\n");
    buf_clear(&line);
    if (answer_promise(run, &line)) {
        part_markdown(out, line.at);
        buf_text(out, ".\n\n");
    }
    buf_free(&line);
    group_anomalies(run, kinds);
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        if (!kinds[k].n)
            continue;
        buf_printf(out, "- **%s.** ", anomaly_table[k].title);
        part_markdown(out, advice_table[k].risk);
        buf_text(out, " *What to do:* ");
        struct buf remedy = {0};
        find_remedy(run, k, &remedy);
        part_markdown(out, remedy.at);
        buf_free(&remedy);
        buf_char(out, '\n');
    }
    buf_char(out, '\n');
}

/* --- HTML ------------------------------------------------------------------*/

static bool
group_is_empty(const struct kind kinds[ANOMALY_KINDS])
{
    for (int k = 0; k < ANOMALY_KINDS; k++)
        if (kinds[k].n)
            return false;
    return true;
}

/* "Found: lost update and write skew." */
static void
put_found(const struct kind kinds[ANOMALY_KINDS], struct buf *out)
{
    size_t left = 0;
    for (int k = 0; k < ANOMALY_KINDS; k++)
        left += kinds[k].n > 0;
    if (!left)
        return;
    buf_text(out, "<p class=\"answer bad\">Found: ");
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        if (kinds[k].n) {
            left--;
            buf_printf(out, "%s%s", anomaly_table[k].title,
                       left > 1    ? ", "
                       : left == 1 ? " and "
                                   : "");
        }
    }
    buf_text(out, ".</p>\n");
}

/* What the levels that did not hold promise. */
static void
put_promises(const struct report_run *run, struct buf *out)
{
    const level_set set = weakest_of(levels_with(run, VERDICT_VIOLATED));
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(set, l)) {
            buf_printf(out, "<p class=\"soft hint\">%s promises: ",
                       level_table[l].title);
            part_xml(out, level_table[l].meaning);
            buf_text(out, ".</p>\n");
        }
}

/* First what everybody understands, then the levels. */
void
answer_html(const struct report_run *run, struct buf *out)
{
    struct buf line = {0};
    struct kind kinds[ANOMALY_KINDS];
    group_anomalies(run, kinds);
    put_found(kinds, out);
    answer_sentence(run, &line);
    buf_printf(out, "<p class=\"answer%s\">",
               group_is_empty(kinds) ? "" : " levels");
    words_short(line.at, out);
    buf_text(out, ".</p>\n");
    buf_clear(&line);
    if (answer_promise(run, &line)) {
        buf_text(out, "<p class=\"hint\">");
        part_xml(out, line.at);
        buf_text(out, ".</p>\n");
    }
    buf_free(&line);
    put_promises(run, out);
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        if (!kinds[k].n)
            continue;
        buf_printf(out,
                   "<div class=\"advice\"><h3>%s</h3><dl><dt>What happened"
                   "</dt><dd>",
                   anomaly_table[k].title);
        words_html(kinds[k].first, kinds[k].first->story, out);
        buf_text(out, ".");
        words_hint(kinds[k].first, out);
        buf_text(out, "</dd><dt>What can go wrong</dt><dd>");
        part_xml(out, advice_table[k].risk);
        buf_text(out, "</dd><dt>What to do</dt><dd>");
        struct buf remedy = {0};
        find_remedy(run, k, &remedy);
        part_xml(out, remedy.at);
        buf_free(&remedy);
        buf_text(out, "</dd></dl></div>\n");
    }
}

/* --- JSON ------------------------------------------------------------------*/

void
answer_json(const struct report_run *run, struct buf *out)
{
    struct buf line = {0};
    struct kind kinds[ANOMALY_KINDS];
    answer_sentence(run, &line);
    json_object(out, "answer");
    json_text(out, "summary", line.at);
    buf_clear(&line);
    if (answer_promise(run, &line))
        json_text(out, "promise", line.at);
    buf_free(&line);
    json_object(out, "levels");
    for (int l = 0; l < LEVELS; l++)
        if (is_told(run, l))
            json_text(
                out, level_table[l].brief,
                part_verdict((enum verdict)answer_verdict(run, (enum level)l)));
    json_object_end(out);
    json_array(out, "anomalies");
    group_anomalies(run, kinds);
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        if (!kinds[k].n)
            continue;
        struct buf remedy = {0};
        find_remedy(run, k, &remedy);
        json_object(out, NULL);
        json_text(out, "name", anomaly_table[k].name);
        json_u64(out, "shown", kinds[k].n);
        json_text(out, "risk", advice_table[k].risk);
        json_text(out, "remedy", remedy.at);
        json_object_end(out);
        buf_free(&remedy);
    }
    json_array_end(out);
    json_object_end(out);
}
