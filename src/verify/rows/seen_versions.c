/* seen_versions.c -- see seen_versions.h.
 *
 * Two sets of versions are the same when they have the same size, and so does
 * what they have in common.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/rows/seen_versions.h"

#include "verify/rows/naive_answer.h"

void
seen_versions_free(struct seen_versions *s)
{
    strings_free(&s->texts);
    intmap_free(&s->pairs);
    intmap_free(&s->with);
    intmap_free(&s->both);
    vec_free(&s->counts);
}

static uint32_t
number_of(struct seen_versions *s, struct buf *text)
{
    const uint32_t id = strings_add(&s->texts, text->at, text->n);
    buf_free(text);
    return id;
}

static void
show_datum(const struct row_datum *d, struct buf *out)
{
    if (d->type == ROW_DATUM_INT)
        buf_i64(out, d->number);
    else if (d->type == ROW_DATUM_TEXT)
        buf_printf(out, "'%u", d->text);
    else
        buf_text(out, "null");
}

/* What a content looks like to a read that saw these columns. */
static uint32_t
look_of(struct seen_versions *s, uint32_t content, uint32_t seen)
{
    const struct row_log *l = s->h->rows;
    const struct row_content *c = &l->contents.at[content];
    const struct row_cells has = row_log_cells(l, content);
    const struct row_cells saw = row_log_cells(l, seen);
    struct buf text = {0};
    buf_text(&text, c->is_absent ? "look absent" : "look");
    for (size_t i = 0; !c->is_absent && i < saw.n; i++) {
        buf_char(&text, ' ');
        for (size_t j = 0; j < has.n; j++)
            if (has.at[j].column == saw.at[i].column)
                show_datum(&has.at[j].datum, &text);
    }
    if (!c->is_absent && l->contents.at[seen].ver != ID_NONE)
        buf_printf(&text, " ver %u", c->ver);
    return number_of(s, &text);
}

/* What a version looks like to such a read: like nothing where it does not
 * satisfy the condition. */
static uint32_t
look_of_version(struct seen_versions *s, uint32_t version,
                const struct seen_row *seen)
{
    if (!seen->condition || naive_answer_satisfies(s->h->rows, seen->condition,
                                                   version) == NAIVE_TRUE)
        return look_of(s, version, seen->content);
    struct buf text = {0};
    buf_text(&text, "none");
    return number_of(s, &text);
}

/* The register, the columns that were seen, and the condition. */
static uint32_t
group_of(struct seen_versions *s, key_id k, const struct seen_row *seen,
         bool *added)
{
    const struct row_log *l = s->h->rows;
    const struct row_cells saw = row_log_cells(l, seen->content);
    const struct row_content *c = &l->contents.at[seen->content];
    const uint32_t before = (uint32_t)s->texts.all.n;
    struct buf text = {0};
    buf_printf(&text, "group %u%s%s", k, c->is_absent ? " absent" : "",
               c->ver != ID_NONE ? " ver" : "");
    for (size_t i = 0; i < saw.n; i++)
        buf_printf(&text, " %u", saw.at[i].column);
    if (seen->condition) {
        buf_text(&text, " where ");
        buf_text(&text, seen->condition);
    }
    const uint32_t group = number_of(s, &text);
    *added = group == before;
    return group;
}

static uint32_t
pair_of(struct seen_versions *s, uint32_t value, uint32_t look)
{
    bool added;
    return intmap_add(&s->pairs, (uint64_t)value << 32 | look,
                      (uint32_t)s->pairs.n, &added);
}

static uint32_t *
count_of(struct seen_versions *s, struct intmap *map, uint32_t group,
         uint32_t what)
{
    bool added;
    const uint32_t i = intmap_add(map, (uint64_t)group << 32 | what,
                                  (uint32_t)s->counts.n, &added);
    if (added)
        vec_push(&s->counts, 0);
    return &s->counts.at[i];
}

static void
count(struct seen_versions *s, uint32_t group, uint32_t value, uint32_t look)
{
    ++*count_of(s, &s->with, group, value);
    ++*count_of(s, &s->with, group, look);
    ++*count_of(s, &s->both, group, pair_of(s, value, look));
}

bool
seen_versions_check(struct seen_versions *s, op_id op,
                    const struct seen_row *seen, const uint32_t *versions,
                    size_t n, bool *right, struct err *err)
{
    const key_id k = op_key(s->h, op);
    bool is_new;
    const uint32_t group = group_of(s, k, seen, &is_new);
    for (size_t i = 0; is_new && i < n; i++) {
        struct buf text = {0};
        buf_text(&text, "value ");
        if (!naive_answer_show(s->h, k, versions[i], &text, err)) {
            buf_free(&text);
            return false;
        }
        const uint32_t value = number_of(s, &text);
        count(s, group, value, look_of_version(s, versions[i], seen));
    }
    struct buf text = {0};
    buf_text(&text, "value ");
    buf_text(&text, naive_answer_text(s->h, op));
    const uint32_t value = number_of(s, &text);
    const uint32_t look = look_of(s, seen->content, seen->content);
    const uint32_t values = *count_of(s, &s->with, group, value);
    const uint32_t looks = *count_of(s, &s->with, group, look);
    const uint32_t both =
        *count_of(s, &s->both, group, pair_of(s, value, look));
    *right = values == looks && looks == both;
    return true;
}
