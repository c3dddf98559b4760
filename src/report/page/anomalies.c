/* anomalies.c -- see anomalies.h.
 *
 * An anomaly that is found at several levels has one card.  Cards stand in
 * groups by kind, the simplest kind first.  Of a group the first few cards are
 * seen and the others are folded, so that sixty anomalies are no wall.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/anomalies.h"

#include "report/found.h"
#include "report/page/card.h"
#include "report/page/words.h"
#include "report/parts.h"

#include <assert.h>
#include <string.h>

enum {
    SEEN = 3,      // cards of a group that are not folded
    MOST_KEYS = 12 // of a kind that are counted in the summary
};

static void
put_id(const struct report_run *run, const struct found *f, const char *id,
       struct buf *out)
{
    const enum level level = run->check->results.at[f->row].level;
    buf_printf(out, "%s-%s-%zu", id, level_table[level].brief, f->place + 1);
}

void
anomalies_card_of(const struct report_run *run, enum level level,
                  const char *id, struct buf *out)
{
    found_vec all = {0};
    found_gather(run, &all);
    for (size_t i = 0; i < all.n; i++)
        if (level_set_has(all.at[i].levels, level)) {
            put_id(run, &all.at[i], id, out);
            break;
        }
    vec_free(&all);
}

/* --- the summary -----------------------------------------------------------*/

struct key_count {
    const char *key;
    size_t n;
};

typedef VEC(struct key_count) key_count_vec;

static void
count_key(const char *key, key_count_vec *out)
{
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->at[i].key, key) == 0) {
            out->at[i].n++;
            return;
        }
    vec_push(out, ((struct key_count){key, 1}));
}

/* Whether the i-th operation of t is the first that matters on its key. */
static bool
is_first_of_key(const struct anomaly_txn *t, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (t->ops[j].matters && strcmp(t->ops[j].key, t->ops[i].key) == 0)
            return false;
    return t->ops[i].matters;
}

/* The keys that an anomaly is about, each once: those of the cycle, or else
 * those of the operations that matter. */
static void
count_keys(const struct anomaly *a, key_count_vec *out)
{
    for (size_t i = 0; i < a->cycle.n; i++) {
        const char *key = a->edges.at[a->cycle.at[i]].key;
        bool is_new = key;
        for (size_t j = 0; is_new && j < i; j++) {
            const char *other = a->edges.at[a->cycle.at[j]].key;
            is_new = !other || strcmp(other, key) != 0;
        }
        if (is_new)
            count_key(key, out);
    }
    if (!a->cycle.n && a->txns.n)
        for (size_t i = 0; i < a->txns.at[0].n_ops; i++)
            if (is_first_of_key(&a->txns.at[0], i))
                count_key(a->txns.at[0].ops[i].key, out);
}

/* Most frequent first. */
static void
sort_keys(key_count_vec *keys)
{
    for (size_t i = 1; i < keys->n; i++)
        for (size_t j = i; j && keys->at[j].n > keys->at[j - 1].n; j--) {
            const struct key_count k = keys->at[j];
            keys->at[j] = keys->at[j - 1];
            keys->at[j - 1] = k;
        }
}

/* "0 x 15", as buttons that filter. */
static void
put_keys(const key_count_vec *keys, struct buf *out)
{
    for (size_t i = 0; i < keys->n && i < MOST_KEYS; i++) {
        buf_text(out, "<button type=\"button\" class=\"count\" "
                      "data-filter=\"key:");
        part_xml(out, keys->at[i].key);
        buf_text(out, "\" title=\"show only these\">");
        words_short(keys->at[i].key, out);
        buf_printf(out, " <b>\xc3\x97 %zu</b></button> ", keys->at[i].n);
    }
    if (keys->n > MOST_KEYS)
        buf_printf(out, "and %zu more keys", keys->n - MOST_KEYS);
}

static bool
has_places(const found_vec *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (*all->at[i].a->places)
            return true;
    return false;
}

/* A cell with the scripts or endpoints of a kind, and how often each. */
static void
put_places(const found_vec *all, int kind, struct buf *out)
{
    if (!has_places(all))
        return;
    buf_text(out, "</td><td class=\"mono\">");
    for (size_t i = 0; i < all->n; i++) {
        const char *places = all->at[i].a->places;
        size_t before = 0, same = 0;
        for (size_t j = 0; j < all->n; j++) {
            const bool is_same = (int)all->at[j].a->kind == kind &&
                                 strcmp(all->at[j].a->places, places) == 0;
            before += is_same && j < i;
            same += is_same;
        }
        if ((int)all->at[i].a->kind != kind || before || !*places)
            continue;
        words_short(places, out);
        buf_printf(out, " <b>\xc3\x97 %zu</b><br>", same);
    }
}

static void
put_kind_row(const struct report_run *run, const found_vec *all, int kind,
             const char *id, struct buf *out)
{
    key_count_vec keys = {0};
    const struct found *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        if ((int)all->at[i].a->kind == kind) {
            first = first ? first : &all->at[i];
            count_keys(all->at[i].a, &keys);
            n++;
        }
    if (first) {
        buf_text(out, "<tr><th scope=\"row\"><a href=\"#");
        put_id(run, first, id, out);
        buf_printf(out, "\">%s</a></th><td>%zu</td><td class=\"mono\">",
                   anomaly_table[kind].title, n);
        sort_keys(&keys);
        put_keys(&keys, out);
        put_places(all, kind, out);
        buf_text(out, "</td></tr>");
    }
    vec_free(&keys);
}

void
anomalies_summary(const struct report_run *run, const char *id, struct buf *out)
{
    found_vec all = {0};
    found_gather(run, &all);
    if (all.n > 1) {
        buf_printf(out,
                   "<h3 class=\"title\">%zu anomalies shown</h3><div "
                   "class=\"scroll\"><table class=\"kinds\"><thead><tr>"
                   "<th scope=\"col\">kind</th><th scope=\"col\">shown"
                   "</th><th scope=\"col\">on which keys</th>%s</tr>"
                   "</thead><tbody>",
                   all.n,
                   has_places(&all) ? "<th scope=\"col\">between</th>" : "");
        for (int i = 0; i < ANOMALY_KINDS; i++)
            put_kind_row(run, &all, anomaly_order[i], id, out);
        buf_text(out, "</tbody></table></div>\n");
    }
    vec_free(&all);
}

/* --- cards -----------------------------------------------------------------*/

static struct picture_clock
clock_of(const struct report_run *run)
{
    return (struct picture_clock){.is_nanoseconds = run->timeline,
                                  .zero =
                                      run->timeline ? run->timeline->zero : 0,
                                  .origin = run->origin};
}

/* The cards of a kind; *n counts those of the page. */
static void
put_group(const struct report_run *run, const found_vec *all, int kind,
          const char *id, size_t *n, struct buf *out)
{
    struct buf card = {0};
    size_t in_group = 0, members = 0;
    const struct picture_clock clock = clock_of(run);
    for (size_t i = 0; i < all->n; i++)
        members += (int)all->at[i].a->kind == kind;
    for (size_t i = 0; i < all->n; i++) {
        const struct found *f = &all->at[i];
        if ((int)f->a->kind != kind)
            continue;
        if (in_group == SEEN && members > SEEN + 1)
            buf_printf(out,
                       "<details class=\"group\"><summary>%zu more: %s"
                       "</summary>",
                       members - SEEN, anomaly_table[kind].title);
        buf_clear(&card);
        put_id(run, f, id, &card);
        card_html(f->a, &clock, card.at, f->levels, (*n)++ == 0, out);
        in_group++;
    }
    assert(in_group == members);
    if (members > SEEN + 1)
        buf_text(out, "</details>\n");
    buf_free(&card);
}

/* What is not shown, and why. */
static void
put_rest(const struct report_run *run, struct buf *out)
{
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct level_result *r = &run->check->results.at[i];
        const char *brief = level_table[r->level].brief;
        if (part_has_more(&run->explanations[i])) {
            buf_printf(out, "<p class=\"soft\">%s: ", brief);
            part_more(&run->explanations[i], out);
            buf_text(out, ".</p>\n");
        }
        if (r->reason[0]) {
            buf_printf(out, "<p class=\"soft\">%s %s", brief,
                       r->certificate.verdict == VERDICT_OK ? "holds "
                                                            : "is unknown: ");
            part_xml(out, r->reason);
            buf_text(out, ".</p>\n");
        }
    }
}

void
anomalies_cards(const struct report_run *run, const char *id, struct buf *out)
{
    found_vec all = {0};
    size_t n = 0;
    found_gather(run, &all);
    for (int i = 0; i < ANOMALY_KINDS; i++)
        put_group(run, &all, anomaly_order[i], id, &n, out);
    put_rest(run, out);
    assert(n == all.n);
    vec_free(&all);
}
