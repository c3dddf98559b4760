/* test_conditions.c -- conditions on rows have SQL's values.
 *
 * Each condition is evaluated twice: by the reader of histories and by the
 * verifier, which share no code.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_log.h"
#include "verify/rows/naive_condition.h"

#include "test.h"

/* A row with v = 2, n = NULL and s = 'b''c'. */
static uint32_t
make_row(struct row_log *l)
{
    const uint32_t row = row_log_content(l);
    const uint32_t text = strings_add(&l->names, "b'c", 3);
    row_log_cell(l, row,
                 (struct row_cell){strings_add(&l->names, "v", 1),
                                   {.type = ROW_DATUM_INT, .number = 2}});
    row_log_cell(l, row,
                 (struct row_cell){strings_add(&l->names, "n", 1),
                                   {.type = ROW_DATUM_NULL}});
    row_log_cell(l, row,
                 (struct row_cell){strings_add(&l->names, "My s", 4),
                                   {.type = ROW_DATUM_TEXT, .text = text}});
    struct err err = {0};
    CHECK(row_log_end_content(l, row, &err));
    return row;
}

/* The value as a letter: t, f, u, or ! where it has none. */
static char
value_of(const char *text)
{
    struct row_log *l = row_log_new();
    struct err err = {0};
    const uint32_t row = make_row(l);
    uint32_t condition;
    size_t where;
    enum row_truth x = ROW_UNKNOWN;
    char letter = '!';
    if (row_log_condition(l, text, strlen(text), false, &condition, &where,
                          &err) &&
        predicate_evaluate(&l->conditions.at[condition].predicate,
                           row_log_cells(l, row), &l->names, &x, &err))
        letter = "fut"[x];
    const enum naive_truth y = naive_condition(l, text, row);
    const char other = "ftu!"[y];
    if (letter != other) {
        printf("# %s: %c, but the verifier says %c\n", text, letter, other);
        CHECK(!"the same value");
    }
    row_log_free(l);
    return letter;
}

static void
conditions_have_three_values(void)
{
    static const struct {
        const char *text;
        char value;
    } cases[] = {
        {"v = 2", 't'},
        {"v<>2", 'f'},
        {"v != -2", 't'},
        {"2 < v", 'f'},
        {"v >= 2 AND v <= 2", 't'},
        {"n = n", 'u'},
        {"n IS NULL", 't'},
        {"v IS NOT NULL", 't'},
        {"NOT n = 1", 'u'},
        {"n = 1 OR v = 2", 't'},
        {"n = 1 AND v = 3", 'f'},
        {"n = 1 OR v = 3", 'u'},
        {"v IN (1, 2, NULL)", 't'},
        {"v IN (1, NULL)", 'u'},
        {"v NOT IN (1, NULL)", 'u'},
        {"v NOT IN (1, 3)", 't'},
        {"v BETWEEN 1 AND 2 AND TRUE", 't'},
        {"v NOT BETWEEN 1 AND 2 OR FALSE", 'f'},
        {"v BETWEEN NULL AND 1", 'f'},
        {"v between null and 3", 'u'},
        {"NOT v = 1 AND NOT (v = 3 OR n IS NOT NULL)", 't'},
        {"NOT NOT (NOT (v = 2))", 'f'},
        {"v = 2 OR v = 3 AND v = 4", 't'},
        {"(v = 2 OR v = 3) AND v = 4", 'f'},
        {"\"My s\" = 'b''c'", 't'},
        {"\"My s\" > 'b'", 't'},
        {"\"My s\" < 'a'", 'f'},
        {"NULL IS NULL", 't'},
        {"v = NULL", 'u'},
        {"v = -9223372036854775808", 'f'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char value = value_of(cases[i].text);
        if (value != cases[i].value)
            printf("# %s: %c\n", cases[i].text, value);
        CHECK(value == cases[i].value);
    }
}

static void
what_is_no_condition_has_no_value(void)
{
    static const char *const cases[] = {
        "",          "v",         "v =",         "v > 1 2", "(v > 1",
        "v > 1)",    "v IN ()",   "v IN 1",      "v IS 2",  "v NOT 2",
        "AND v > 1", "v > 1 AND", "v BETWEEN 1", "v = 'a",  "w = 1",
        "v = 'a'",   "f(v) = 1",  "v LIKE 'a'",  "t.v = 1", "v = 1.5",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(value_of(cases[i]) == '!');
}

static void
nesting_has_a_bound(void)
{
    char text[2000] = "";
    for (int i = 0; i < 500; i++)
        text[i] = '(';
    strcpy(text + 500, "v = 2");
    for (int i = 0; i < 500; i++)
        text[505 + i] = ')';
    CHECK(value_of(text) == '!');
}

int
main(void)
{
    RUN(conditions_have_three_values);
    RUN(what_is_no_condition_has_no_value);
    RUN(nesting_has_a_bound);
    return test_end();
}
