/* row_questions.c -- see row_questions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_questions.h"

#include "history/row/row_question_text.h"

/* --- versions -------------------------------------------------------------*/

/* Find out whether the versions of a row have names. */
static bool
check_names(struct row_questions *q, row_id row, const char *const *places,
            const char **at, struct err *err)
{
    const struct row_log *l = q->l;
    bool any = false, all = true;
    for (uint32_t i = q->first[row]; i < q->first[row + 1]; i++) {
        const struct row_content *c = &l->contents.at[q->versions.at[i]];
        if (c->is_absent)
            continue;
        any |= c->ver != ID_NONE;
        all &= c->ver != ID_NONE;
        if (any && !all) {
            *at = places[i];
            char shown[ERR_QUOTE_ROOM];
            const struct string name =
                strings_get(&l->names, l->rows.at[row].name);
            return err_set(
                err, ERR_SYNTAX,
                "some versions of row %s have 'ver' and some have not, "
                "expected all or none",
                err_quote(shown, sizeof shown, name.text, name.len));
        }
    }
    q->has_ver[row] = any;
    return true;
}

static void
list_versions(struct row_questions *q, const char **places)
{
    const struct row_log *l = q->l;
    uint32_t *next = mem_alloc(l->rows.n, sizeof *next);
    for (row_id r = 0; r < l->rows.n; r++) {
        next[r] = q->first[r] + 1;
        q->versions.at[q->first[r]] = l->rows.at[r].initial;
    }
    for (size_t i = 0; i < l->entries.n; i++) {
        const struct row_entry *e = &l->entries.at[i];
        if (e->kind != ROW_WRITE)
            continue;
        places[next[e->row]] = e->at;
        q->versions.at[next[e->row]++] = e->content;
    }
    mem_free(next);
}

bool
row_questions_init(struct row_questions *q, struct row_log *l, const char **at,
                   struct err *err)
{
    *q = (struct row_questions){.l = l};
    vec_push(&q->questions,
             (struct row_question){.kind = ROW_QUESTION_IS_VERSION});
    q->first = mem_calloc(l->rows.n + 1, sizeof *q->first);
    q->has_ver = mem_calloc(l->rows.n, sizeof *q->has_ver);
    q->returned = mem_calloc(l->rows.n, sizeof *q->returned);
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind == ROW_WRITE)
            q->first[l->entries.at[i].row + 1]++;
    for (row_id r = 0; r < l->rows.n; r++) {
        q->first[r + 1] += q->first[r] + 1; // one more for the initial one
        vec_push(&q->first_asked, ID_NONE);
    }
    const size_t n = q->first[l->rows.n];
    vec_grow(&q->versions, n);
    const char **places = mem_calloc(n, sizeof *places);
    list_versions(q, places);
    for (size_t i = 0; i < n; i++)
        vec_push(&q->answers, row_question_text(l, q->versions.at[i], NULL,
                                                ALL_COLUMNS, true));
    bool ok = true;
    for (row_id r = 0; ok && r < l->rows.n; r++)
        ok = check_names(q, r, places, at, err);
    mem_free(places);
    return ok;
}

void
row_questions_free(struct row_questions *q)
{
    mem_free(q->first);
    mem_free(q->has_ver);
    mem_free(q->returned);
    vec_free(&q->versions);
    vec_free(&q->answers);
    vec_free(&q->questions);
    vec_free(&q->columns);
    vec_free(&q->matched);
    row_named_free(&q->named);
    strings_free(&q->column_questions);
    vec_free(&q->by_columns);
    intmap_free(&q->by_condition);
    vec_free(&q->asked);
    vec_free(&q->first_asked);
    intmap_free(&q->by_row);
    intmap_free(&q->served_index);
    intmap_free(&q->pairs);
    intmap_free(&q->matches_index);
    vec_free(&q->matches);
    vec_free(&q->served);
}

/* --- reads ----------------------------------------------------------------*/

static uint32_t
find_columns(struct row_questions *q, struct row_cells cells, bool with_ver,
             uint32_t only)
{
    struct buf text = {0};
    buf_printf(&text, "%c%u", with_ver ? 'v' : '-', only);
    for (size_t i = 0; i < cells.n; i++)
        buf_printf(&text, " %u", cells.at[i].column);
    const uint32_t id = strings_add(&q->column_questions, text.at, text.n);
    buf_free(&text);
    if (id < q->by_columns.n)
        return q->by_columns.at[id];
    struct row_question x = {.kind = ROW_QUESTION_COLUMNS,
                             .columns = (uint32_t)q->columns.n,
                             .columns_n = (uint32_t)cells.n,
                             .with_ver = with_ver,
                             .only = only};
    for (size_t i = 0; i < cells.n; i++)
        vec_push(&q->columns, cells.at[i].column);
    vec_push(&q->by_columns, (uint32_t)q->questions.n);
    vec_push(&q->questions, x);
    return (uint32_t)q->questions.n - 1;
}

static bool
refuse(const struct row_questions *q, row_id row, const char *what,
       struct err *err)
{
    char shown[ERR_QUOTE_ROOM];
    const struct string name =
        strings_get(&q->l->names, q->l->rows.at[row].name);
    return err_set(err, ERR_SYNTAX, "row %s %s",
                   err_quote(shown, sizeof shown, name.text, name.len), what);
}

/* Whether some version of the row is not absent. */
static bool
has_values(const struct row_questions *q, row_id row)
{
    for (uint32_t i = q->first[row]; i < q->first[row + 1]; i++)
        if (!q->l->contents.at[q->versions.at[i]].is_absent)
            return true;
    return false;
}

bool
row_questions_of_read(struct row_questions *q, row_id row, uint32_t content,
                      uint32_t *question, uint32_t *answer, struct err *err)
{
    const struct row_content *c = &q->l->contents.at[content];
    const struct row_table *t = &q->l->tables.at[q->l->rows.at[row].table];
    const struct row_cells cells = row_log_cells(q->l, content);
    const bool names = c->ver != ID_NONE;
    *question = ROW_QUESTION_VERSION;
    *answer = row_question_text(q->l, content, NULL, ALL_COLUMNS, true);
    if (c->is_absent || !t->is_known)
        return true;
    for (size_t i = 0; i < cells.n; i++)
        if (!t->columns_n ||
            !row_question_has(q->l->columns.at + t->columns, t->columns_n,
                              cells.at[i].column))
            return refuse(q, row,
                          "is read with a column that its table has "
                          "not, expected some of those written",
                          err);
    if (names && !q->has_ver[row] && has_values(q, row))
        return refuse(q, row,
                      "is read with 'ver' and written without, expected both "
                      "or only the write",
                      err);
    if (cells.n == t->columns_n && names == (bool)q->has_ver[row])
        return true;
    *question = find_columns(q, cells, names, ID_NONE);
    return true;
}

/* --- queries --------------------------------------------------------------*/

bool
row_questions_holds(const struct row_questions *q, uint32_t table,
                    uint32_t condition, uint32_t content, bool *known,
                    bool *out, struct err *err)
{
    const struct row_log *l = q->l;
    const struct row_condition *c = &l->conditions.at[condition];
    const struct row_content *x = &l->contents.at[content];
    *known = true;
    *out = false;
    if (x->is_absent)
        return true;
    if (c->is_named) {
        *known = x->has_satisfied;
        for (uint32_t i = 0; i < x->satisfied_n; i++)
            *out |= l->satisfied.at[x->satisfied + i] == c->text;
        return true;
    }
    const struct row_cells cells = row_log_cells(l, content);
    // A version has all columns, so one that is not there is a mistake.
    const struct row_table *t = &l->tables.at[table];
    *known = (t->is_known && cells.n == t->columns_n) ||
             predicate_is_answered(&c->predicate, cells);
    enum row_truth truth = ROW_UNKNOWN;
    if (!*known)
        return true;
    if (!predicate_evaluate(&c->predicate, cells, &l->names, &truth, err))
        return false;
    *out = truth == ROW_TRUE;
    return true;
}

static bool
refuse_nameless(const struct row_questions *q, row_id row, struct err *err)
{
    return refuse(q, row,
                  "has a version without 'satisfies', which this query needs",
                  err);
}

/* The rows of which a version has the name among those it satisfies. */
static bool
find_named(struct row_questions *q, uint32_t table,
           const struct row_question *x, struct err *err)
{
    const struct row_log *l = q->l;
    if (!q->named.is_listed)
        row_named_list(&q->named, l, q->first, &q->versions);
    const row_id silent = q->named.silent[table];
    if (silent != ID_NONE)
        return refuse_nameless(q, silent, err);
    row_named_find(&q->named, l, table, l->conditions.at[x->condition].text,
                   &q->matched);
    return true;
}

/* The rows of which some version satisfies a condition that is evaluated. */
static bool
find_evaluated(struct row_questions *q, uint32_t table,
               const struct row_question *x, struct err *err)
{
    const struct row_log *l = q->l;
    for (row_id r = 0; r < l->rows.n; r++) {
        bool any = false;
        for (uint32_t i = q->first[r];
             l->rows.at[r].table == table && i < q->first[r + 1]; i++) {
            bool known, holds;
            if (!row_questions_holds(q, table, x->condition, q->versions.at[i],
                                     &known, &holds, err))
                return false;
            if (!known)
                return refuse_nameless(q, r, err);
            any |= holds;
        }
        if (any)
            vec_push(&q->matched, r);
    }
    return true;
}

/* Note the rows of which some version matches. */
static bool
find_matched(struct row_questions *q, uint32_t table, struct row_question *x,
             struct err *err)
{
    x->matched = (uint32_t)q->matched.n;
    const bool ok = q->l->conditions.at[x->condition].is_named
                        ? find_named(q, table, x, err)
                        : find_evaluated(q, table, x, err);
    x->matched_n = (uint32_t)q->matched.n - x->matched;
    return ok;
}

bool
row_questions_of_query(struct row_questions *q, const struct row_query *r,
                       uint32_t *question, struct err *err)
{
    bool added;
    *question =
        intmap_add(&q->by_condition, (uint64_t)r->table << 32 | r->condition,
                   (uint32_t)q->questions.n, &added);
    if (!added)
        return true;
    struct row_question x = {.kind = ROW_QUESTION_CONDITION,
                             .table = r->table,
                             .condition = r->condition};
    const bool ok = find_matched(q, r->table, &x, err);
    vec_push(&q->questions, x);
    return ok;
}

uint32_t
row_questions_of_returned(struct row_questions *q, uint32_t content,
                          uint32_t condition)
{
    assert(q->questions.at[condition].kind == ROW_QUESTION_CONDITION);
    return find_columns(q, row_log_cells(q->l, content),
                        q->l->contents.at[content].ver != ID_NONE, condition);
}

/* --- registers ------------------------------------------------------------*/

/* Whether the condition of a question holds for a version. */
static bool
matches(const struct row_questions *q, const struct row_question *x,
        uint32_t content)
{
    struct err ignored = {0}; // find_matched has evaluated it before
    bool known, holds = false;
    assert(x->kind == ROW_QUESTION_CONDITION);
    const bool ok = row_questions_holds(q, x->table, x->condition, content,
                                        &known, &holds, &ignored);
    assert(ok);
    (void)ok;
    return holds;
}

/* What a version of a row answers. */
static uint32_t
answer_of(struct row_questions *q, const struct row_question *x,
          uint32_t content, uint32_t version_answer)
{
    if (x->kind == ROW_QUESTION_CONDITION)
        return matches(q, x, content) ? version_answer : ANSWER_NONE;
    if (x->only != ID_NONE && !matches(q, &q->questions.at[x->only], content))
        return ANSWER_NONE;
    return row_question_text(q->l, content,
                             x->columns_n ? q->columns.at + x->columns : NULL,
                             x->columns_n, x->with_ver);
}

/* Note that a version gives an answer: what is left to know is whether
 * different ones give it. */
static void
note_answer(struct row_questions *q, uint32_t asked, uint32_t answer,
            uint32_t version)
{
    bool added;
    const uint32_t i =
        intmap_add(&q->served_index, (uint64_t)asked << 32 | answer,
                   (uint32_t)q->served.n, &added);
    if (added)
        vec_push(&q->served, ((struct row_served){.version = version}));
    else if (q->served.at[i].version != version)
        q->served.at[i].has_several = true;
}

static uint32_t
find_asked(struct row_questions *q, row_id row, uint32_t question)
{
    bool added;
    const uint32_t asked =
        intmap_add(&q->by_row, (uint64_t)row << 32 | question,
                   (uint32_t)q->asked.n, &added);
    if (!added)
        return asked;
    const struct row_question x = q->questions.at[question];
    vec_push(&q->asked,
             ((struct row_asked){.question = question,
                                 .next = q->first_asked.at[row],
                                 .answers = (uint32_t)q->answers.n}));
    q->first_asked.at[row] = asked;
    for (uint32_t i = q->first[row]; i < q->first[row + 1]; i++) {
        const uint32_t answer =
            answer_of(q, &x, q->versions.at[i], q->answers.at[i]);
        vec_push(&q->answers, answer);
        if (x.kind == ROW_QUESTION_COLUMNS || answer == ANSWER_NONE)
            note_answer(q, asked, answer, q->answers.at[i]);
    }
    return asked;
}

/* Whether versions with the same text give the same answer.  Those with the
 * same values may show different named conditions. */
static bool
is_of_text(const struct row_questions *q, const struct row_question *x)
{
    return x->kind == ROW_QUESTION_COLUMNS &&
           (x->only == ID_NONE ||
            !q->l->conditions.at[q->questions.at[x->only].condition].is_named);
}

uint32_t
row_questions_ask(struct row_questions *q, row_id row, uint32_t question,
                  uint32_t answer, uint32_t *value)
{
    assert(question != ROW_QUESTION_VERSION && question < q->questions.n);
    const uint32_t asked = find_asked(q, row, question);
    const uint32_t i =
        intmap_find(&q->served_index, (uint64_t)asked << 32 | answer);
    *value = answer;
    if (i == UINT32_MAX)
        return asked; // no version gives this answer
    // A read of a row that was not returned keeps its condition, which is what
    // an explanation has to show.
    if (is_of_text(q, &q->questions.at[question]) &&
        !q->served.at[i].has_several) {
        *value = q->served.at[i].version;
        return ID_NONE;
    }
    q->asked.at[asked].is_needed = true;
    return asked;
}

/* The answer that the i-th version of a row gives. */
static uint32_t
nth_answer(struct row_questions *q, row_id row, uint32_t question, uint32_t i)
{
    return question == ROW_QUESTION_VERSION
               ? row_questions_version(q, row, i)
               : row_questions_answer(q, find_asked(q, row, question), i);
}

/* Note which answers to a question the versions give for which a condition
 * holds, and those for which it does not. */
static void
note_matches(struct row_questions *q, row_id row, uint32_t asked,
             uint32_t question, uint32_t pair)
{
    const uint32_t n = q->first[row + 1] - q->first[row];
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t answer = nth_answer(q, row, question, v);
        bool added;
        const uint32_t i =
            intmap_add(&q->matches_index, (uint64_t)pair << 32 | answer,
                       (uint32_t)q->matches.n, &added);
        if (added)
            vec_push(&q->matches, ROW_FITS_NONE);
        q->matches.at[i] |= row_questions_answer(q, asked, v) == ANSWER_NONE
                                ? ROW_MATCHES_NONE
                                : ROW_MATCHES_ALL;
    }
}

enum row_matches
row_questions_matches(struct row_questions *q, row_id row, uint32_t condition,
                      uint32_t question, uint32_t answer)
{
    assert(q->questions.at[condition].kind == ROW_QUESTION_CONDITION);
    const uint32_t asked = find_asked(q, row, condition);
    bool added;
    const uint32_t pair =
        intmap_add(&q->pairs, (uint64_t)question << 32 | asked,
                   (uint32_t)q->pairs.n, &added);
    if (added)
        note_matches(q, row, asked, question, pair);
    const uint32_t i =
        intmap_find(&q->matches_index, (uint64_t)pair << 32 | answer);
    return i == UINT32_MAX ? ROW_FITS_NONE : (enum row_matches)q->matches.at[i];
}
