/* row_question_text.c -- see row_question_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_question_text.h"

#include "history/row/row_questions.h"

static void
show_datum(const struct row_log *l, struct row_datum d, struct buf *out)
{
    const struct string s = d.type == ROW_DATUM_TEXT
                                ? strings_get(&l->names, d.text)
                                : (struct string){0};
    if (d.type == ROW_DATUM_NULL)
        buf_text(out, "null");
    else if (d.type == ROW_DATUM_INT)
        buf_i64(out, d.number);
    else
        buf_json(out, s.text, s.len);
}

bool
row_question_has(const uint32_t *columns, size_t n, uint32_t column)
{
    for (size_t i = 0; i < n; i++)
        if (columns[i] == column)
            return true;
    return false;
}

uint32_t
row_question_text(struct row_log *l, uint32_t content, const uint32_t *columns,
                  size_t n, bool with_ver)
{
    const struct row_content *c = &l->contents.at[content];
    if (c->is_absent)
        return ANSWER_ABSENT;
    const struct row_cells cells = row_log_cells(l, content);
    struct buf text = {0};
    buf_char(&text, '{');
    for (size_t i = 0; i < cells.n; i++) {
        if (n != ALL_COLUMNS &&
            !row_question_has(columns, n, cells.at[i].column))
            continue;
        const struct string name = strings_get(&l->names, cells.at[i].column);
        if (text.n > 1)
            buf_char(&text, ',');
        buf_json(&text, name.text, name.len);
        buf_char(&text, ':');
        show_datum(l, cells.at[i].datum, &text);
    }
    buf_char(&text, '}');
    if (with_ver && c->ver != ID_NONE) {
        buf_text(&text, " ver ");
        buf_text(&text, strings_get(&l->names, c->ver).text);
    }
    const uint32_t id = strings_add(&l->names, text.at, text.n);
    buf_free(&text);
    return id;
}

void
row_questions_show_answer(const struct row_questions *q, uint32_t answer,
                          struct buf *out)
{
    if (answer == ANSWER_ABSENT)
        buf_text(out, "absent");
    else if (answer == ANSWER_NONE)
        buf_text(out, "none");
    else
        buf_text(out, strings_get(&q->l->names, answer).text);
}

static void
show_condition(const struct row_questions *q, const struct row_question *x,
               struct buf *out)
{
    const struct row_condition *c = &q->l->conditions.at[x->condition];
    assert(x->kind == ROW_QUESTION_CONDITION);
    buf_text(out, c->is_named ? "where #" : "where ");
    buf_text(out, strings_get(&q->l->names, c->text).text);
}

void
row_questions_show(const struct row_questions *q, uint32_t question,
                   struct buf *out)
{
    const struct row_question *x = &q->questions.at[question];
    assert(x->kind != ROW_QUESTION_IS_VERSION);
    if (x->kind == ROW_QUESTION_CONDITION) {
        show_condition(q, x, out);
        return;
    }
    buf_char(out, '(');
    for (uint32_t i = 0; i < x->columns_n; i++) {
        const struct string name =
            strings_get(&q->l->names, q->columns.at[x->columns + i]);
        buf_text(out, i ? ", " : "");
        if (row_log_is_word(name.text, name.len))
            buf_text(out, name.text);
        else
            buf_json(out, name.text, name.len);
    }
    buf_text(out, x->with_ver ? ") ver" : ")");
    if (x->only != ID_NONE) {
        buf_char(out, ' ');
        show_condition(q, &q->questions.at[x->only], out);
    }
}
