/* reduced_file.c -- see reduced_file.h.
 *
 * Text may mean something else than the history in memory: a query in it tells
 * of all rows, and an element of a list has all its authors again.  So it is
 * the text that is checked.  'jsonl' stands for all formats: what it cannot
 * hold has no rows, and is checked as it is.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/reduced_file.h"

#include "format/jsonl/jsonl.h"

enum {
    SECONDS = 5,       // for checking (BUDGET_SECOND)
    MOST_OPS = 200000, // larger ones, which were not reduced, are not checked
};

static enum verdict
judge(const struct history *h, enum level level)
{
    const struct check_options o = {.levels = 1u << level,
                                    .threads = 1,
                                    .work = SECONDS * BUDGET_SECOND,
                                    .most_flaws = 1,
                                    .strong = strong_defaults};
    struct check c;
    struct err err = {0};
    if (!check_history(h, &o, &c, &err))
        return VERDICT_UNKNOWN;
    const enum verdict verdict = check_worst(&c);
    check_free(&c);
    return verdict;
}

/* Judge h as it is read from text. */
static bool
judge_text(const struct history *h, enum level level, enum verdict *out,
           struct err *err)
{
    struct buf text = {0};
    jsonl_show(h, &text);
    struct input in = {.name = "the reduced history",
                       .data = text.at,
                       .size = text.n,
                       .threads = 1};
    struct builder *b = builder_new(atom_nil());
    struct history again;
    bool ok = format_find("jsonl")->read(&in, b, err);
    if (!ok)
        builder_free(b);
    ok = ok && builder_finish(b, &again, err);
    if (ok) {
        *out = judge(&again, level);
        history_free(&again);
    }
    buf_free(&text);
    return ok;
}

static bool
judge_again(const struct anomaly *a, enum verdict *out, struct err *err)
{
    struct err refused = {0};
    *out = VERDICT_UNKNOWN;
    if (a->reduced.n_ops > MOST_OPS)
        return true;
    if (jsonl_holds(&a->reduced, &refused))
        return judge_text(&a->reduced, a->level, out, err);
    *out = judge(&a->reduced, a->level);
    return true;
}

bool
reduced_file_write(const struct anomaly *a, const struct format *format,
                   const char *path, bool *written, struct buf *notes,
                   struct err *err)
{
    enum verdict verdict;
    *written = false;
    if (!judge_again(a, &verdict, err))
        return false;
    if (verdict == VERDICT_OK) {
        buf_printf(notes,
                   "nothing is reduced: the part that was found does not "
                   "violate %s by itself\n",
                   level_table[a->level].title);
        return true;
    }
    if (verdict == VERDICT_UNKNOWN)
        buf_printf(notes,
                   "it is not known whether the reduced history violates %s "
                   "by itself\n",
                   level_table[a->level].title);
    *written = format_write(&a->reduced, format, path, err);
    return *written;
}
