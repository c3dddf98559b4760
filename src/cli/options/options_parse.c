/* options_parse.c -- parse a command line by the table of options.
 *
 * The words are '--name value', '--name=value', '--no-flag', '-l value',
 * '-lvalue', several flags in one word as in '-qv', and '--', after which all
 * words are arguments.
 *
 * SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "base/quantity.h"
#include "base/spelling.h"
#include "cli/options/options.h"

#include <math.h>
#include <string.h>

/* --- values --------------------------------------------------------------- */

/* The kind of number that an option takes. */
static enum quantity_kind
quantity_of(const struct option *o)
{
    switch (o->kind) {
    case OPTION_NUMBER:
        return QUANTITY_COUNT;
    case OPTION_BYTES:
        return QUANTITY_BYTES;
    case OPTION_SECONDS:
        return QUANTITY_SECONDS;
    case OPTION_SHARE:
        return QUANTITY_SHARE;
    default:
        return QUANTITY_REAL;
    }
}

static bool
in_range(const struct option *o, double x)
{
    return x >= o->low && x <= o->high;
}

/* A bound of a range; 1e9 is easier to read than 1000000000. */
static void
put_bound(struct buf *out, double x)
{
    int zeros = 0;
    double digits = x;
    for (; digits >= 10 && fmod(digits, 10) == 0; zeros++)
        digits /= 10;
    if (zeros < 6)
        buf_printf(out, "%.10g", x);
    else
        buf_printf(out, "%.0fe%d", digits, zeros);
}

static bool
number_error(const struct option *o, const char *text, struct err *err)
{
    const char *const units = quantity_units(quantity_of(o));
    struct buf range = {0};
    put_bound(&range, o->low);
    buf_text(&range, " to ");
    put_bound(&range, o->high);
    if (*units)
        buf_printf(&range, " (%s may follow)", units);
    err_set(err, ERR_USAGE, "--%s takes %s from %s, not '%s'", o->name,
            o->kind == OPTION_NUMBER || o->kind == OPTION_BYTES
                ? "a whole number"
            : o->kind == OPTION_SECONDS ? "seconds"
                                        : "a number",
            range.at, text);
    buf_free(&range);
    return false;
}

static bool
set_number(const struct option *o, char *field, const char *text,
           struct err *err)
{
    uint64_t x;
    if (!quantity_parse_whole(text, strlen(text), quantity_of(o), &x) ||
        !in_range(o, (double)x))
        return number_error(o, text, err);
    memcpy(field, &x, sizeof x);
    return true;
}

static bool
set_real(const struct option *o, char *field, const char *text, struct err *err)
{
    double x;
    if (!quantity_parse(text, strlen(text), quantity_of(o), &x) ||
        !in_range(o, x))
        return number_error(o, text, err);
    memcpy(field, &x, sizeof x);
    return true;
}

/* Add a value to a list that is separated by commas; the first one takes the
 * place of the default. */
static void
join_text(const struct option *o, struct options *out, const char *text)
{
    char *field = (char *)out + o->offset;
    const char *before;
    memcpy(&before, field, sizeof before);
    if (before && before != o->initial) {
        struct buf both = {0};
        buf_printf(&both, "%s,%s", before, text);
        text = arena_copy(&out->texts, both.at, both.n);
        buf_free(&both);
    }
    memcpy(field, &text, sizeof text);
}

static bool
set_value(const struct option *o, struct options *out, const char *text,
          struct err *err)
{
    char *field = (char *)out + o->offset;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)field = text[0] == '1';
        return true;
    case OPTION_NUMBER:
    case OPTION_BYTES:
        return set_number(o, field, text, err);
    case OPTION_REAL:
    case OPTION_SECONDS:
    case OPTION_SHARE:
        return set_real(o, field, text, err);
    case OPTION_TEXT:
    case OPTION_OUTPUT:
        memcpy(field, &text, sizeof text);
        return true;
    case OPTION_COMMAS:
        join_text(o, out, text);
        return true;
    case OPTION_LIST:
        vec_push((option_texts *)(void *)field, text);
        return true;
    }
    return false;
}

/* --- words ---------------------------------------------------------------- */

/* The row with that letter or name.  Options of different commands may have the
 * same name; the row of this command is preferred. */
static const struct option *
find_letter(char letter, const struct command *command)
{
    const struct option *found = NULL;
    for (const struct option *o = option_table; o->name; o++)
        if (o->letter == letter && (!found || (o->commands & command->bit)))
            found = o;
    return found;
}

static const struct option *
find_name(const char *name, size_t len, const struct command *command)
{
    const struct option *found = NULL;
    for (const struct option *o = option_table; o->name; o++)
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0 &&
            (!found || (o->commands & command->bit)))
            found = o;
    return found;
}

struct words {
    int n, i;
    char *const *at;
    const struct command *command;
};

/* Refuse an option that no command has, and suggest one of this command. */
static bool
refuse_option(const struct command *command, const char *shown, struct err *err)
{
    const bool is_long = strncmp(shown, "--", 2) == 0;
    const char *name = shown + (is_long ? 2 : 1);
    struct spelling s = spelling_of(name, strcspn(name, "="));
    for (const struct option *o = option_table; is_long && o->name; o++)
        if (o->commands & command->bit)
            spelling_try(&s, o->name, o->name);
    if (s.best)
        return err_set(err, ERR_USAGE,
                       "unknown option '%s'; did you mean '--%s'?", shown,
                       s.best);
    return err_set(err, ERR_USAGE, "unknown option '%s'; see 'assay %s --help'",
                   shown, command->name);
}

static bool
take(struct words *w, const struct option *o, const char *shown,
     const char *value, struct options *out, struct err *err)
{
    if (!o)
        return refuse_option(w->command, shown, err);
    if (!(o->commands & w->command->bit))
        return err_set(err, ERR_USAGE,
                       "'assay %s' takes no option '%s'; see 'assay %s --help'",
                       w->command->name, shown, w->command->name);
    if (o->kind == OPTION_FLAG) {
        if (value)
            return err_set(err, ERR_USAGE, "--%s takes no value", o->name);
        return set_value(o, out, "1", err);
    }
    if (!value && o->kind == OPTION_OUTPUT)
        value = "-";
    if (!value) {
        if (w->i + 1 >= w->n)
            return err_set(err, ERR_USAGE, "'%s' needs a value: %s", shown,
                           o->argument);
        value = w->at[++w->i];
    }
    return set_value(o, out, value, err);
}

static bool
take_long(struct words *w, struct options *out, struct err *err)
{
    const char *word = w->at[w->i], *name = word + 2;
    const char *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (strncmp(name, "no-", 3) == 0) {
        const struct option *o = find_name(name + 3, len - 3, w->command);
        if (o && o->kind == OPTION_FLAG && !equals &&
            (o->commands & w->command->bit))
            return set_value(o, out, "0", err);
    }
    return take(w, find_name(name, len, w->command), word,
                equals ? equals + 1 : NULL, out, err);
}

/* -q, -l ser, -lser */
static bool
take_letters(struct words *w, struct options *out, struct err *err)
{
    const char *word = w->at[w->i];
    for (const char *p = word + 1; *p; p++) {
        const struct option *o = find_letter(*p, w->command);
        const bool flag = !o || o->kind == OPTION_FLAG;
        if (!take(w, o, word, !flag && p[1] ? p + 1 : NULL, out, err))
            return false;
        if (!flag)
            break;
    }
    return true;
}

bool
options_parse(int n, char *const words[], const struct command *command,
              struct options *out, struct err *err)
{
    *out = (struct options){0};
    for (const struct option *o = option_table; o->name; o++)
        if (o->initial)
            set_value(o, out, o->initial, err);
    struct words w = {n, 0, words, command};
    bool only_paths = false;
    for (; w.i < n; w.i++) {
        const char *word = words[w.i];
        bool ok = true;
        if (only_paths || word[0] != '-' || !word[1])
            vec_push(&out->paths, word);
        else if (strcmp(word, "--") == 0)
            only_paths = true;
        else if (word[1] == '-')
            ok = take_long(&w, out, err);
        else
            ok = take_letters(&w, out, err);
        if (!ok)
            return false;
    }
    out->json |= out->json_file && strcmp(out->json_file, "-") == 0;
    return true;
}

void
options_free(struct options *o)
{
    vec_free(&o->paths);
    vec_free(&o->prove_levels);
    vec_free(&o->pairs);
    arena_free(&o->texts);
    vec_free(&o->without);
    vec_free(&o->tune);
    vec_free(&o->nemesis);
    vec_free(&o->setups);
    vec_free(&o->known);
}
