/* row_reach.c -- see row_reach.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_reach.h"

#include <string.h>

/* The first version of the row that a note has seen. */
static uint32_t
first_of(struct row_versions *v, const struct row_note *n)
{
    return v->all.at[row_versions_add(v, n->table, &n->before)].row;
}

/* Which rows a query returned, in whatever version: by first version. */
static bool *
mark_returned(struct row_versions *v, const struct row_note *query)
{
    bool *is_returned = mem_calloc(v->all.n + 1, sizeof *is_returned);
    for (size_t i = 1; i <= query->found; i++)
        is_returned[first_of(v, &query[i])] = true;
    return is_returned;
}

/* Of the rows that a query has seen, those that it went through, and may have
 * left out because they were locked.  Without SKIP LOCKED there are none: it
 * waits, and leaves out what no longer matches.  *reached: how many of them it
 * went through, all or up to the last one that it returned. */
static void
list_skipped(struct row_versions *v, const struct row_note *query,
             size_t *reached, u32_vec *skipped)
{
    const struct row_note *seen = query + 1 + query->found;
    bool *is_returned = mark_returned(v, query);
    size_t n = query->seen;
    while (query->is_cut && n && !is_returned[first_of(v, &seen[n - 1])])
        n--;
    *reached = n;
    for (size_t i = 0; i < n; i++)
        if (query->by->skips_locked && !is_returned[first_of(v, &seen[i])])
            vec_push(skipped,
                     row_versions_add(v, seen[i].table, &seen[i].before));
    mem_free(is_returned);
}

/* The condition for a row before the last one.  Two rows are sorted: it is
 * before the other one if that becomes the second. */
static void
put_before(struct buf *sql, const struct row_versions *v,
           const struct row_note *query, const struct row_note *last)
{
    const struct row_statement *s = query->by;
    buf_printf(sql,
               "2 = (select assay_r from (select assay_b, rank() over (order "
               "by %s) assay_r from (select false assay_b, %s.* union all "
               "select true, assay_p.* from jsonb_populate_record(null::%s, ",
               s->order, s->alias, v->watched->tables.at[s->table].name);
    watched_put_literal(sql, last->before.values);
    buf_printf(sql, "::jsonb) assay_p) as %s) assay_z where assay_b)",
               s->alias);
}

bool
row_reach_narrows(struct row_versions *v, const struct row_note *query,
                  struct row_condition_text *c)
{
    u32_vec skipped = {0};
    size_t reached = 0;
    if (query->is_cut || query->seen)
        list_skipped(v, query, &reached, &skipped);
    const bool skips = skipped.n > 0;
    vec_free(&skipped);
    if (!query->is_cut && !skips)
        return false;
    // The last row that was returned, as it was in the snapshot.
    const struct row_note *last = NULL;
    if (query->is_cut && (reached || !query->by->seen))
        last = query + query->found + reached;
    const char *condition = c->sql ? c->sql : c->text;
    struct buf sql = {0}, text = {0};
    buf_printf(&text, "%s", *c->text ? c->text : "TRUE");
    buf_printf(&sql, "(%s)", *condition ? condition : "true");
    if (last) {
        buf_text(&sql, " and ");
        put_before(&sql, v, query, last);
        buf_printf(&text, ", before %s in the order of %s", last->before.values,
                   query->by->order);
    } else if (query->is_cut) { // it returned none of the rows it has seen
        row_statement_leave_out(query->by, "how far a select with a limit "
                                           "looked");
        buf_clear(&sql);
        buf_text(&sql, "false");
    }
    if (skips)
        buf_text(&text, ", but for locked rows");
    c->sql = arena_copy(&v->arena, sql.at, sql.n);
    c->text = arena_copy(&v->arena, text.at, text.n);
    buf_free(&sql);
    buf_free(&text);
    return true;
}

/* Whether a condition holds for every version of a row, and none was
 * removed. */
static bool
always_holds(const struct row_versions *v, uint32_t condition, uint32_t row)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < v->all.n; i++)
        ok = !row_versions_is_same_row(v, row, i) ||
             (row_versions_holds(v, condition, i) && !v->all.at[i].is_deleted);
    return ok;
}

/* Let a condition hold for no version of some rows.  One that was skipped
 * because it no longer matched, when it was to be locked, would tell something;
 * whether it was locked is not known. */
static void
skip_rows(struct row_versions *v, uint32_t condition, const u32_vec *skipped)
{
    struct row_condition_text *c = &v->conditions.at[condition];
    for (size_t k = 0; k < skipped->n; k++) {
        if (!always_holds(v, condition, skipped->at[k]))
            row_statement_leave_out(
                c->of->by, "whether a row that it skipped still matched");
        size_t n = 0;
        for (size_t i = 0; i < c->holds.n; i++)
            if (!row_versions_is_same_row(v, skipped->at[k], c->holds.at[i]))
                c->holds.at[n++] = c->holds.at[i];
        c->holds.n = n;
    }
}

void
row_reach_skip(struct row_versions *v)
{
    for (uint32_t i = 0; i < v->conditions.n; i++) {
        u32_vec skipped = {0};
        size_t reached;
        if (v->conditions.at[i].of)
            list_skipped(v, v->conditions.at[i].of, &reached, &skipped);
        skip_rows(v, i, &skipped);
        vec_free(&skipped);
    }
}
