/* lower_type.c -- the types of SQL, and values that change from one to another.
 *
 * A cast between types of different values is an error, unless it is of text in
 * quotes.  Between kinds of numbers it is a node of its own, because a number
 * may not fit, and a fraction is rounded.  What is stored in a column or a
 * variable is cast to its kind.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool
lower_type_of_name(const char *name, struct scalar_type *out)
{
    static const struct {
        const char *name;
        struct scalar_type type;
    } types[] = {
        {"int2", {TYPE_INTEGER, NUMBER_SMALLINT, false, false, 0}},
        {"int4", {TYPE_INTEGER, NUMBER_INTEGER, false, false, 0}},
        {"int8", {TYPE_INTEGER, NUMBER_BIGINT, false, false, 0}},
        {"int", {TYPE_INTEGER, NUMBER_INTEGER, false, false, 0}},
        {"integer", {TYPE_INTEGER, NUMBER_INTEGER, false, false, 0}},
        {"bigint", {TYPE_INTEGER, NUMBER_BIGINT, false, false, 0}},
        {"smallint", {TYPE_INTEGER, NUMBER_SMALLINT, false, false, 0}},
        {"numeric", {TYPE_INTEGER, NUMBER_NUMERIC, false, false, 0}},
        {"decimal", {TYPE_INTEGER, NUMBER_NUMERIC, false, false, 0}},
        {"date", {TYPE_DATE, NUMBER_INTEGER, false, false, 0}},
        {"timestamp", {TYPE_TIMESTAMP, NUMBER_INTEGER, false, false, 0}},
        {"timestamptz", {TYPE_TIMESTAMP, NUMBER_INTEGER, false, false, 0}},
        {"serial", {TYPE_INTEGER, NUMBER_INTEGER, true, false, 0}},
        {"bigserial", {TYPE_INTEGER, NUMBER_BIGINT, true, false, 0}},
        {"serial4", {TYPE_INTEGER, NUMBER_INTEGER, true, false, 0}},
        {"serial8", {TYPE_INTEGER, NUMBER_BIGINT, true, false, 0}},
        {"bool", {TYPE_BOOLEAN, NUMBER_INTEGER, false, false, 0}},
        {"boolean", {TYPE_BOOLEAN, NUMBER_INTEGER, false, false, 0}},
        {"text", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"varchar", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"bpchar", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"char", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"uuid", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"bytea", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"name", {TYPE_TEXT, NUMBER_INTEGER, false, false, 0}},
        {"smallserial", {TYPE_INTEGER, NUMBER_SMALLINT, true, false, 0}},
        {"serial2", {TYPE_INTEGER, NUMBER_SMALLINT, true, false, 0}},
    };
    *out = (struct scalar_type){0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0)
            *out = types[i].type;
    return out->type != TYPE_UNKNOWN;
}

bool
lower_type_limits(struct lower *l, struct scalar_type *type,
                  const int64_t *numbers, size_t n, int location)
{
    if (!n)
        return true;
    if (type->type == TYPE_TEXT && n == 1 && numbers[0] > 0) {
        type->limit = (uint32_t)numbers[0];
        return true;
    }
    if (type->type == TYPE_OPAQUE)
        return true;
    if (type->type == TYPE_TIMESTAMP) { // it rounds
        type->type = TYPE_OPAQUE;
        return true;
    }
    const int64_t scale = n > 1 ? numbers[1] : 0;
    if (type->number != NUMBER_NUMERIC || n > 2 || scale < 0 ||
        scale >= numbers[0])
        return lower_fail(l, location,
                          "a type with a precision that is not supported");
    type->rounds = true;
    type->limit = (uint32_t)(numbers[0] - scale);
    return true;
}

bool
lower_type(struct lower *l, const PgQuery__TypeName *type,
           struct scalar_type *out)
{
    const char *name = lower_last_name(type->names, type->n_names);
    int64_t numbers[2] = {0};
    l->padded = l->padded || !strcmp(name, "bpchar") || !strcmp(name, "char");
    l->uuids = l->uuids || !strcmp(name, "uuid");
    if (type->setof || type->pct_type)
        return lower_fail(l, type->location, "type %s is no scalar", name);
    if (type->n_array_bounds || !lower_type_of_name(name, out)) {
        const struct user_type *own = lower_find_type(l, name);
        *out = (struct scalar_type){.type = TYPE_OPAQUE};
        if (own && !type->n_array_bounds)
            *out = own->type;
        return true;
    }
    for (size_t i = 0; i < type->n_typmods && i < 2; i++)
        if (NODE_IS(type->typmods[i], A_CONST) &&
            type->typmods[i]->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL)
            numbers[i] = type->typmods[i]->a_const->ival->ival;
    return lower_type_limits(l, out, numbers, type->n_typmods, type->location);
}

/* "2024-02-29" as days since 2000-01-01; false where it is no such day. */
static bool
read_date(const char *text, int64_t *days)
{
    static const int before[] = {0,   31,  59,  90,  120, 151, 181,
                                 212, 243, 273, 304, 334, 365};
    static const char digits[] = "0123456789";
    if (strlen(text) != 10 || strspn(text, digits) != 4 || text[4] != '-' ||
        strspn(text + 5, digits) != 2 || text[7] != '-' ||
        strspn(text + 8, digits) != 2)
        return false;
    const long year = strtol(text, NULL, 10),
               month = strtol(text + 5, NULL, 10),
               day = strtol(text + 8, NULL, 10);
    if (year < 1 || month < 1 || month > 12)
        return false;
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int length = before[month] - before[month - 1] + (leap && month == 2);
    if (day < 1 || day > length)
        return false;
    const long y = year - 1;
    *days = 365LL * y + y / 4 - y / 100 + y / 400 + before[month - 1] +
            (leap && month > 2) + day - 1 - 730119;
    return true;
}

/* Text in quotes as a value of another type; NULL where it is none. */
static struct expr *
read_constant(struct lower *l, const struct expr *e, enum value_type type)
{
    const char *text =
        strings_get(&l->program->texts, (uint32_t)e->value.number).text;
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    if (type == TYPE_INTEGER && *text && !*end && !errno)
        return expr_number(l, number);
    if (type == TYPE_BOOLEAN && (!strcmp(text, "t") || !strcmp(text, "true")))
        return expr_boolean(l, true);
    if (type == TYPE_BOOLEAN && (!strcmp(text, "f") || !strcmp(text, "false")))
        return expr_boolean(l, false);
    if (type != TYPE_DATE || !read_date(text, &number))
        return NULL;
    struct expr *date = expr_number(l, number);
    date->type = TYPE_DATE;
    return date;
}

struct expr *
lower_cast(struct lower *l, struct expr *e, enum value_type type, int location)
{
    if (e->type == TYPE_UNKNOWN || e->type == type) {
        e->type = type;
        return e;
    }
    struct expr *read = e->kind == EXPR_CONSTANT && e->type == TYPE_TEXT
                            ? read_constant(l, e, type)
                            : NULL;
    if (!read && type == TYPE_OPAQUE && e->kind == EXPR_CONSTANT &&
        e->type == TYPE_TEXT) {
        e->type = type; // its literal
        return e;
    }
    (void)location;
    return read ? read
                : lower_opaque_cast(l, e, (struct scalar_type){.type = type},
                                    "");
}

struct expr *
lower_cast_number(struct lower *l, struct expr *e, enum number_kind number)
{
    if (!e || e->type != TYPE_INTEGER || e->number == number)
        return e;
    struct expr *cast = expr_new(l, EXPR_CAST, TYPE_INTEGER);
    if (e->kind == EXPR_CONSTANT &&
        (e->value.null ||
         program_number_fits(e->type, number, e->value.number)))
        *cast = *e;
    else
        cast->arg[0] = e;
    cast->number = number;
    return cast;
}

const struct expr *
lower_store(struct lower *l, const struct expr *e, enum number_kind number,
            bool rounds)
{
    if (!e || e->type != TYPE_INTEGER || e->kind == EXPR_CONSTANT ||
        e->number != NUMBER_NUMERIC || (number == NUMBER_NUMERIC && !rounds))
        return e;
    struct expr *cast = expr_new(l, EXPR_CAST, TYPE_INTEGER);
    cast->arg[0] = e;
    cast->number = number;
    return cast;
}

struct expr *
lower_type_cast(struct lower *l, const PgQuery__TypeCast *node)
{
    struct scalar_type type;
    struct expr *e = lower_expr(l, node->arg);
    if (!e || !lower_type(l, node->type_name, &type))
        return NULL;
    const char *name =
        lower_last_name(node->type_name->names, node->type_name->n_names);
    if (type.limit || (e->type != TYPE_UNKNOWN && e->type != type.type &&
                       e->kind != EXPR_CONSTANT))
        return lower_opaque_cast(l, e, type, name);
    e = lower_cast(l, e, type.type, node->location);
    return lower_cast_number(l, e, type.number);
}

/* --- texts that are too long ----------------------------------------------*/

static size_t
count_characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* PostgreSQL cuts blanks off that are too many. */
static bool
check_blanks(struct lower *l, const char *text, size_t limit)
{
    size_t used = strlen(text);
    while (used && text[used - 1] == ' ')
        used--;
    return used == strlen(text) ||
           lower_fail(l, -1,
                      "a text that ends in a blank, beside a type of %zu "
                      "characters, is not supported",
                      limit);
}

/* The column has none of the texts of the program that are longer. */
static bool
limit_column(struct lower *l, struct table *t, uint32_t c)
{
    for (uint32_t i = 0; i < l->program->texts.all.n; i++) {
        const char *text = strings_get(&l->program->texts, i).text;
        if (count_characters(text) <= t->columns[c].limit)
            continue;
        if (!check_blanks(l, text, t->columns[c].limit))
            return false;
        struct expr *column = expr_new(l, EXPR_COLUMN, TYPE_TEXT);
        struct expr *constant = expr_new(l, EXPR_CONSTANT, TYPE_TEXT);
        column->column = c;
        constant->value.number = i;
        lower_add_check(l, t, expr_binary(l, EXPR_NE, column, constant));
    }
    return true;
}

bool
lower_lengths(struct lower *l)
{
    l->text = "";
    for (size_t i = 0; i < l->program->tables.n; i++) {
        struct table *t = &l->program->tables.at[i];
        l->file = t->file;
        l->line = t->line;
        for (uint32_t c = 0; c < t->n_columns; c++)
            if (t->columns[c].type == TYPE_TEXT && t->columns[c].limit &&
                !limit_column(l, t, c))
                return false;
    }
    for (size_t i = 0; i < l->program->functions.n; i++) {
        const struct function *f = l->program->functions.at[i];
        l->file = f->file;
        l->line = f->line;
        for (uint32_t v = f->n_parameters; v < f->n_variables; v++)
            for (uint32_t s = 0;
                 f->variables[v].type == TYPE_TEXT && f->variables[v].limit &&
                 s < l->program->texts.all.n;
                 s++)
                if (count_characters(strings_get(&l->program->texts, s).text) >
                    f->variables[v].limit)
                    return lower_fail(
                        l, -1,
                        "variable '%s' holds %u characters, and the text '%s' "
                        "has more, which is not supported",
                        f->variables[v].name, f->variables[v].limit,
                        strings_get(&l->program->texts, s).text);
    }
    return true;
}
