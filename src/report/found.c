/* found.c -- see found.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/found.h"

#include "report/parts.h"

#include <assert.h>
#include <string.h>

void
found_gather(const struct report_run *run, found_vec *out)
{
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct explanation *e = &run->explanations[i];
        for (size_t j = 0; j < e->anomalies.n; j++) {
            const struct anomaly *a = &e->anomalies.at[j];
            struct found *known = NULL;
            for (size_t k = 0; !known && k < out->n; k++)
                if (strcmp(out->at[k].a->story, a->story) == 0)
                    known = &out->at[k];
            if (!known)
                vec_push(out, ((struct found){a, i, j, 1u << e->level}));
            else
                known->levels |= 1u << e->level;
        }
    }
}

void
found_to_show(const struct report_run *run, bool all, found_vec *out)
{
    found_vec found = {0};
    found_gather(run, &found);
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        bool any = false;
        for (size_t j = 0; j < found.n; j++) {
            if (found.at[j].a->kind != k || (any && !all))
                continue;
            vec_push(out, found.at[j]);
            any = true;
        }
    }
    vec_free(&found);
}

/* "write skew (3), lost update": of these places, or of all if NULL. */
static void
put_kinds(const found_vec *found, const char *places, struct buf *out)
{
    const char *between = "";
    for (int i = 0; i < ANOMALY_KINDS; i++) {
        const enum anomaly_kind k = anomaly_order[i];
        size_t n = 0;
        for (size_t j = 0; j < found->n; j++)
            n += found->at[j].a->kind == k &&
                 (!places || strcmp(found->at[j].a->places, places) == 0);
        if (!n)
            continue;
        buf_printf(out, "%s%s", between, anomaly_table[k].title);
        if (n > 1)
            buf_printf(out, " (%zu)", n);
        between = ", ";
    }
}

/* Whether an anomaly before the i-th is of the same places. */
static bool
was_placed(const found_vec *found, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(found->at[j].a->places, found->at[i].a->places) == 0)
            return true;
    return false;
}

static void
put_places(const found_vec *found, struct buf *out)
{
    size_t places = 0, width = 0;
    for (size_t i = 0; i < found->n; i++) {
        const size_t len = strlen(found->at[i].a->places);
        places += len && !was_placed(found, i);
        width = len > width ? len : width;
    }
    if (found->n < 2 || !places)
        return;
    buf_text(out, "  Between:\n");
    for (size_t i = 0; i < found->n; i++) {
        const char *name = found->at[i].a->places;
        if (!*name || was_placed(found, i))
            continue;
        buf_printf(out, "    %s", name);
        buf_printf(out, "%*s", (int)(width - strlen(name) + 2), "");
        put_kinds(found, name, out);
        buf_char(out, '\n');
    }
}

void
found_counts(const struct report_run *run, size_t shown, struct buf *out)
{
    found_vec found = {0};
    size_t more = 0; // inconsistent reads are the same at every level
    bool at_least = false, cut_short = false;
    found_gather(run, &found);
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct explanation *e = &run->explanations[i];
        more = e->more > more ? e->more : more;
        at_least |= e->capped && part_has_more(e);
        cut_short |= e->cut_short && e->anomalies.n;
    }
    assert(shown <= found.n);
    if (found.n && (shown < found.n || more || cut_short || at_least)) {
        buf_printf(out, "  Found: ");
        put_kinds(&found, NULL, out);
        if (more)
            buf_printf(out, ", and %zu more inconsistent reads", more);
        buf_text(out, cut_short  ? "; more were not looked for, for lack of "
                                   "time."
                      : at_least ? "; there may be more (--max-anomalies)."
                                 : ".");
        buf_text(out, shown < found.n ? " --all shows each of them.\n" : "\n");
    }
    put_places(&found, out);
    vec_free(&found);
}
