/* lower_trigger.c -- triggers that are about their own row only, and generated
 * columns.
 *
 * A trigger function that reads and writes no table can do three things: give
 * columns of the new row other values, forbid the write, and report it.
 *   (1) A column that it may assign gets a value of which nothing is known but
 *       that it depends on the columns of the row.
 *   (2) A trigger that assigns none is a CHECK of all columns, of which nothing
 *       else is known: it may fail, so what it depends on has been read.
 *   (3) The text is scanned for NEW.x followed by = or :=, which finds
 *       comparisons, too: a column too many is changed to any value, the old
 * one included.  A body with anything that could hide an assignment or a row
 *       that is left out is not understood.
 * A generated column has a value that only depends on the other columns.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/ascii.h"

#include <string.h>

/* --- the text of a trigger function ---------------------------------------*/

struct scanner {
    const char *at;
    char word[64]; // the token: a word in small letters, or one character
};

static bool
is_word(char c)
{
    return c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                       "0123456789",
                       c);
}

static void
skip_blanks(struct scanner *s)
{
    for (;;) {
        s->at += strspn(s->at, " \t\r\n");
        if (s->at[0] == '-' && s->at[1] == '-') {
            s->at += strcspn(s->at, "\n");
        } else if (s->at[0] == '/' && s->at[1] == '*') {
            const char *end = strstr(s->at + 2, "*/");
            s->at = end ? end + 2 : s->at + strlen(s->at);
        } else {
            return;
        }
    }
}

/* The next token; false at the end.  A text in quotes is one, without them. */
static bool
next(struct scanner *s)
{
    skip_blanks(s);
    size_t n = 0;
    if (!*s->at)
        return false;
    if (*s->at == '\'' || *s->at == '"') {
        const char *end = strchr(s->at + 1, *s->at);
        const size_t length =
            end ? (size_t)(end - s->at) - 1 : strlen(s->at) - 1;
        n = *s->at == '"' && length + 1 < sizeof s->word ? length : 0;
        memcpy(s->word, s->at + 1, n);
        s->word[n] = '\0';
        s->at += length + 1 + (end != NULL);
        return true;
    }
    while (is_word(s->at[n]) && n + 1 < sizeof s->word) {
        const char c = s->at[n];
        s->word[n++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    if (!n)
        s->word[n++] = *s->at;
    s->word[n] = '\0';
    s->at += n;
    return true;
}

static bool
is_one_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* What follows NEW; false where it is not understood. */
static bool
after_new(struct scanner *s, const struct table *t, uint64_t *assigned)
{
    skip_blanks(s);
    if (*s->at != '.')
        return *s->at != ':' && *s->at != '=' && *s->at != '[';
    s->at++;
    if (!next(s))
        return false;
    const uint32_t c = lower_find_column(t, s->word);
    skip_blanks(s);
    if (*s->at == '[' || *s->at == '.')
        return false;
    if (*s->at != '=' && strncmp(s->at, ":=", 2) != 0)
        return true;
    if (c == UINT32_MAX || lower_is_folded(t, c))
        return false;
    *assigned |= (uint64_t)1 << c;
    return true;
}

/* Which columns a body may assign; false where that is not clear, or, before
 * the write, where the row may be left out. */
static bool
scan_body(const char *body, const struct table *t, bool before,
          uint64_t *assigned)
{
    static const char *const unclear[] = {"into", "loop",    "foreach", "for",
                                          "get",  "execute", "fetch",   "open",
                                          "call", "alias",   "$"};
    struct scanner s = {.at = body};
    while (next(&s)) {
        if (is_one_of(s.word, unclear, sizeof unclear / sizeof *unclear))
            return false;
        if (strcmp(s.word, "return") == 0 && before) {
            if (!next(&s) || strcmp(s.word, "new") != 0)
                return false;
            skip_blanks(&s);
            if (*s.at != ';')
                return false;
        } else if (strcmp(s.word, "new") == 0 && !after_new(&s, t, assigned)) {
            return false;
        }
    }
    return true;
}

/* --- triggers -------------------------------------------------------------*/

static const char *
argument(const PgQuery__CreateTrigStmt *trigger)
{
    return trigger->n_args && NODE_IS(trigger->args[0], STRING)
               ? trigger->args[0]->string->sval
               : "";
}

/* Functions of PostgreSQL's that assign the column that they are given. */
static bool
is_of_extension(const PgQuery__CreateTrigStmt *trigger, const char *name,
                const struct table *t, uint64_t *assigned)
{
    const uint32_t c = lower_find_column(t, argument(trigger));
    if ((strcmp(name, "moddatetime") != 0 &&
         strcmp(name, "tsvector_update_trigger") != 0) ||
        c == UINT32_MAX || lower_is_folded(t, c))
        return false;
    *assigned |= (uint64_t)1 << c;
    return true;
}

bool
lower_trigger(struct lower *l, struct table *t,
              const PgQuery__CreateTrigStmt *trigger)
{
    enum { BEFORE = 2, INSERT = 4, DELETE = 8, UPDATE = 16 }; // TRIGGER_TYPE_*
    const char *name = lower_last_name(trigger->funcname, trigger->n_funcname);
    const bool before = trigger->timing & BEFORE;
    bool found = false;
    uint64_t assigned = 0;
    if (t->unknown || (trigger->events & DELETE) ||
        lower_may_read(l, trigger->when_clause, NULL))
        return false;
    for (size_t i = 0; i < l->made.n; i++) {
        const struct made *made = &l->made.at[i];
        if (strcmp(made->name, name) != 0)
            continue;
        found = true;
        if (made->altered || !made->body ||
            strcmp(made->language, "plpgsql") != 0 ||
            !scan_body(made->body, t, before && trigger->row, &assigned))
            return false;
    }
    if (found ? !lower_reads_none(l, name)
              : !is_of_extension(trigger, name, t, &assigned))
        return false;
    if (!before || !trigger->row)
        assigned = 0;
    if (trigger->events & INSERT)
        t->assigned[TABLE_INSERT] |= assigned;
    if (trigger->events & UPDATE)
        t->assigned[TABLE_UPDATE] |= assigned;
    if (assigned)
        return true;
    VEC(struct expr *) columns = {0};
    for (uint32_t c = 0; c < t->n_columns; c++) {
        struct expr *e = expr_new(l, EXPR_COLUMN, t->columns[c].type);
        e->column = c;
        e->number = t->columns[c].number;
        vec_push(&columns, e);
    }
    lower_add_check(l, t,
                    lower_opaque(l, "trigger",
                                 (struct scalar_type){.type = TYPE_BOOLEAN},
                                 columns.at, columns.n));
    vec_free(&columns);
    return true;
}

/* --- the values of such columns -------------------------------------------*/

static struct scalar_type
type_of(const struct table_column *column)
{
    return (struct scalar_type){.type = column->type, .number = column->number};
}

/* (1): some value, and a use of what it may depend on. */
static const struct expr *
assigned_value(struct lower *l, const struct table_column *column,
               struct expr *const *used, size_t n)
{
    VEC(struct expr *) args = {0};
    struct expr *input =
        expr_input(l, (struct input_site){INPUT_ANY, TYPE_INTEGER, 0, 0});
    vec_push(&args, input);
    for (size_t i = 0; i < n; i++)
        vec_push(&args, used[i]);
    struct expr *e =
        lower_opaque(l, "trigger", type_of(column), args.at, args.n);
    vec_free(&args);
    return e; // of the column's type: PostgreSQL has checked that it fits
}

static struct expr *
copy_of(struct lower *l, const struct expr *e)
{
    struct expr *copy = expr_new(l, e->kind, e->type);
    *copy = *e;
    return copy;
}

/* A function of the other columns of the row. */
static const struct expr *
generated_value(struct lower *l, const struct table *t, uint32_t c,
                const struct expr *const *row)
{
    VEC(struct expr *) args = {0};
    for (uint32_t i = 0; i < t->n_columns - t->hidden_key; i++)
        if (!t->columns[i].computed) {
            struct expr *e = copy_of(l, row[i]);
            vec_push(&args, e);
        }
    struct expr *e = lower_opaque(l, t->columns[c].name,
                                  type_of(&t->columns[c]), args.at, args.n);
    vec_free(&args);
    return e;
}

static bool
is_assigned(const struct table *t, enum table_write w, uint32_t c)
{
    return t->assigned[w] >> c & 1;
}

static bool
fails(struct lower *l, const struct table *t, uint32_t c, const char *what)
{
    return lower_fail(l, -1, "%s column '%s' of table %s is not supported",
                      what, t->columns[c].name, t->name);
}

bool
lower_inserted(struct lower *l, struct statement *s)
{
    const struct table *t = &l->program->tables.at[s->table];
    for (uint32_t c = 0; c < t->n_columns; c++) {
        const bool assigned = is_assigned(t, TABLE_INSERT, c);
        if (assigned && columns_have(&t->primary, c))
            return fails(l, t, c, "a trigger that assigns the key");
        for (uint32_t i = 0; (assigned || t->columns[c].computed) && s->query &&
                             i < s->query->n_targets;
             i++)
            if (s->insert_targets[i] == c)
                return fails(l, t, c, "INSERT .. SELECT of the changed");
    }
    for (uint32_t r = 0; r < s->n_rows; r++) {
        const struct expr **row = s->values + (size_t)r * t->n_columns;
        for (uint32_t c = 0; c < t->n_columns; c++) {
            if (!is_assigned(t, TABLE_INSERT, c))
                continue;
            struct expr *given = copy_of(l, row[c]);
            row[c] = assigned_value(l, &t->columns[c], &given, 1);
        }
        for (uint32_t c = 0; c < t->n_columns; c++)
            if (t->columns[c].computed)
                row[c] = generated_value(l, t, c, row);
    }
    return true;
}

/* The value that column c is set to; NULL: it is not. */
static struct assignment *
set_of(struct statement *s, uint32_t c)
{
    for (uint32_t i = 0; i < s->n_sets; i++)
        if (s->sets[i].column == c)
            return &s->sets[i];
    return NULL;
}

static void
set_column(struct statement *s, uint32_t c, const struct expr *value)
{
    struct assignment *set = set_of(s, c);
    if (!set) {
        set = &s->sets[s->n_sets++];
        set->column = c;
    }
    set->value = value;
}

bool
lower_updated(struct lower *l, struct statement *s)
{
    const struct table *t = &l->program->tables.at[s->table];
    const struct expr **row =
        program_alloc(l->program, t->n_columns, sizeof *row);
    struct expr **used =
        program_alloc(l->program, t->n_columns + 1, sizeof *used);
    for (uint32_t c = 0; c < t->n_columns; c++) {
        used[c] = expr_column(l, s->source, c);
        if (t->columns[c].computed && set_of(s, c))
            return fails(l, t, c, "SET of the generated");
        if (is_assigned(t, TABLE_UPDATE, c) && columns_have(&t->primary, c))
            return fails(l, t, c, "a trigger that assigns the key");
    }
    for (uint32_t c = 0; c < t->n_columns; c++) {
        if (!is_assigned(t, TABLE_UPDATE, c))
            continue;
        const struct assignment *set = set_of(s, c);
        used[t->n_columns] = set ? copy_of(l, set->value) : NULL;
        set_column(s, c,
                   assigned_value(l, &t->columns[c], used,
                                  t->n_columns + (set != NULL)));
    }
    for (uint32_t c = 0; c < t->n_columns; c++) {
        const struct assignment *set = set_of(s, c);
        row[c] = set ? set->value : used[c];
    }
    for (uint32_t c = 0; c < t->n_columns; c++)
        if (t->columns[c].computed)
            set_column(s, c, generated_value(l, t, c, row));
    return true;
}
