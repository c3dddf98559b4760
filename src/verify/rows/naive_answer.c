/* naive_answer.c -- see naive_answer.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/rows/naive_answer.h"

/* Whether a question names the column next: "(v, w)" has columns in the order
 * of the row, in quotes where they are not plain words.  The row itself, which
 * has no question, has all of them. */
static bool
is_next_column(const struct row_log *l, const char **question,
               const struct row_cell *c)
{
    if (!*question)
        return true;
    struct buf quoted = {0};
    const struct string name = strings_get(&l->names, c->column);
    const char *at = *question;
    buf_json(&quoted, name.text, name.len);
    const bool in_quotes = *at == '"';
    const size_t n = in_quotes ? quoted.n : name.len;
    const bool is = in_quotes != row_log_is_word(name.text, name.len) &&
                    strncmp(at, in_quotes ? quoted.at : name.text, n) == 0 &&
                    (at[n] == ',' || at[n] == ')');
    buf_free(&quoted);
    if (is)
        *question = at + n + (at[n] == ',' ? 2 : 0);
    return is;
}

/* What follows the columns of a question: " ver", a condition, or both. */
static const char *
after_columns(const char *question)
{
    bool in_quotes = false;
    assert(*question == '(');
    while (in_quotes || *question != ')') {
        if (*question == '"')
            in_quotes = !in_quotes;
        else if (*question == '\\')
            question++;
        assert(*question);
        question++;
    }
    return question + 1;
}

/* Append the values of these columns as JSON. */
static void
show_columns(const struct row_log *l, uint32_t content, const char *question,
             bool ver, struct buf *out)
{
    const struct row_cells cells = row_log_cells(l, content);
    const char *next = question ? question + 1 : NULL;
    bool any = false;
    buf_char(out, '{');
    for (size_t i = 0; i < cells.n; i++) {
        const struct row_cell *c = &cells.at[i];
        if (!is_next_column(l, &next, c))
            continue;
        const struct string name = strings_get(&l->names, c->column);
        buf_text(out, any ? "," : "");
        any = true;
        buf_json(out, name.text, name.len);
        buf_char(out, ':');
        if (c->datum.type == ROW_DATUM_TEXT) {
            const struct string s = strings_get(&l->names, c->datum.text);
            buf_json(out, s.text, s.len);
        } else if (c->datum.type == ROW_DATUM_INT) {
            buf_i64(out, c->datum.number);
        } else {
            buf_text(out, "null");
        }
    }
    buf_char(out, '}');
    if (ver && l->contents.at[content].ver != ID_NONE)
        buf_printf(out, " ver %s",
                   strings_get(&l->names, l->contents.at[content].ver).text);
}

enum naive_truth
naive_answer_satisfies(const struct row_log *l, const char *text,
                       uint32_t content)
{
    const struct row_content *c = &l->contents.at[content];
    if (c->is_absent)
        return NAIVE_FALSE;
    if (*text != '#')
        return naive_condition(l, text, content);
    for (uint32_t i = 0; i < c->satisfied_n; i++) {
        const uint32_t name = l->satisfied.at[c->satisfied + i];
        if (strcmp(strings_get(&l->names, name).text, text + 1) == 0)
            return NAIVE_TRUE;
    }
    return c->has_satisfied ? NAIVE_FALSE : NAIVE_MISTAKE;
}

/* The question of a register: NULL for the row itself. */
static const char *
question_of(const struct history *h, key_id k)
{
    const uint32_t where = h->key_rows[k].where;
    return where == ID_NONE ? NULL : strings_get(&h->strings, where).text;
}

bool
naive_answer_is_condition(const struct history *h, key_id k, const char **text)
{
    const char *question = question_of(h, k);
    const bool is = question && strncmp(question, "where ", 6) == 0;
    if (is)
        *text = question + 6;
    return is;
}

bool
naive_answer_show(const struct history *h, key_id k, uint32_t content,
                  struct buf *out, struct err *err)
{
    const char *columns = question_of(h, k), *condition = NULL;
    bool ver = true;
    if (columns && *columns == '(') {
        const char *rest = after_columns(columns);
        ver = strncmp(rest, " ver", 4) == 0;
        rest += ver ? 4 : 0;
        condition = *rest ? rest + strlen(" where ") : NULL;
    } else if (naive_answer_is_condition(h, k, &condition)) {
        columns = NULL;
    }
    const enum naive_truth x =
        condition ? naive_answer_satisfies(h->rows, condition, content)
                  : NAIVE_TRUE;
    if (x == NAIVE_MISTAKE)
        return err_set(err, ERR_SYNTAX, "a condition on a row has no value");
    if (x != NAIVE_TRUE)
        buf_text(out, "none");
    else if (h->rows->contents.at[content].is_absent)
        buf_text(out, "absent");
    else
        show_columns(h->rows, content, columns, ver, out);
    return true;
}

const char *
naive_answer_text(const struct history *h, op_id op)
{
    const struct atom a = history_value_atom(h, h->op_value[op]);
    const uint32_t text =
        atom_is_text(a) ? (uint32_t)a.bits : h->key_rows[op_key(h, op)].initial;
    return strings_get(&h->strings, text).text;
}
