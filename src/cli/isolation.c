/* isolation.c -- see isolation.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/isolation.h"

#include "format/input.h"
#include "robust/prove.h"

#include <stdio.h>
#include <string.h>

/* The function with that name. */
static bool
find_function(const struct program *p, const char *text, size_t len,
              uint32_t *out, struct err *err)
{
    char name[200], quoted[ERR_QUOTE_ROOM];
    snprintf(name, sizeof name, "%.*s", (int)len, text);
    *out = program_find_function(p, name);
    return *out != UINT32_MAX ||
           err_set(err, ERR_USAGE, "the program has no function '%s'",
                   err_quote(quoted, sizeof quoted, text, len));
}

/* Parse "f=si" into every isolation. */
static bool
set_level(const struct program *p, const char *text, size_t len,
          struct level_choice *all, size_t n, struct err *err)
{
    const char *equals = memchr(text, '=', len);
    uint32_t f;
    enum level level;
    if (!find_function(p, text, (size_t)(equals - text), &f, err) ||
        !prove_parse_level(equals + 1, len - (size_t)(equals + 1 - text),
                           &level, err))
        return false;
    for (size_t i = 0; i < n; i++)
        isolation_set(&all[i], p, f, level);
    return true;
}

/* Parse the parts of -l that name a function, or the others. */
static bool
take_levels(const char *text, const struct program *p, bool functions,
            struct level_choice *out, size_t *n, struct err *err)
{
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, ",");
        const bool is_function = memchr(at, '=', len) != NULL;
        if (is_function && functions && !set_level(p, at, len, out, *n, err))
            return false;
        if (!is_function && !functions) {
            if (*n == LEVELS)
                return err_set(err, ERR_USAGE, "too many levels");
            struct level_choice *i = &out[(*n)++];
            i->innodb = len == 5 && memcmp(at, "my-rr", 5) == 0;
            i->common = LEVEL_PC;
            if (!i->innodb && !prove_parse_level(at, len, &i->common, err))
                return false;
        }
        at += len;
        if (!*at)
            return true;
    }
}

/* "f,g". */
static bool
take_pair(const char *text, const struct program *p, struct level_choice *all,
          size_t n, struct err *err)
{
    char quoted[ERR_QUOTE_ROOM];
    const char *comma = strchr(text, ',');
    uint32_t f, g;
    if (!comma || strchr(comma + 1, ','))
        return err_set(err, ERR_USAGE,
                       "--serializable '%s', expected two functions, as in "
                       "'--serializable f,g'",
                       err_quote(quoted, sizeof quoted, text, strlen(text)));
    if (!find_function(p, text, (size_t)(comma - text), &f, err) ||
        !find_function(p, comma + 1, strlen(comma + 1), &g, err))
        return false;
    for (size_t i = 0; i < n; i++)
        isolation_pair(&all[i], p, f, g);
    return true;
}

static bool
read_own(const char *path, struct axioms *out, struct err *err)
{
    struct input in;
    memset(out, 0, sizeof *out);
    if (!input_open(&in, path, err))
        return false;
    const bool ok = in.is_directory ? err_set(err, ERR_SYNTAX,
                                              "a directory, expected formulas")
                                    : axioms_parse(in.data, in.size, out, err);
    input_close(&in);
    return ok || err_in_file(err, path);
}

static bool
read_levels(const struct options *o, const struct program *p,
            struct level_choice *out, size_t *n, struct err *err)
{
    *n = 0;
    for (size_t i = 0; i < o->prove_levels.n; i++)
        if (!take_levels(o->prove_levels.at[i], p, false, out, n, err))
            return false;
    if (!*n)
        return err_set(err, ERR_USAGE,
                       "a level for one function, and none for the others, "
                       "expected one, as in '-l si,f=rc'");
    for (size_t i = 0; i < o->prove_levels.n; i++)
        if (!take_levels(o->prove_levels.at[i], p, true, out, n, err))
            return false;
    return true;
}

bool
isolation_read(const struct options *o, const struct program *p,
               struct level_choice *out, size_t *n, struct axioms *own,
               struct err *err)
{
    memset(own, 0, sizeof *own);
    if (o->level_file) {
        *n = 1;
        out->own = own;
        out->name = o->level_file;
        if (!read_own(o->level_file, own, err))
            return false;
    } else if (!read_levels(o, p, out, n, err)) {
        return false;
    }
    for (size_t i = 0; i < o->pairs.n; i++)
        if (!take_pair(o->pairs.at[i], p, out, *n, err))
            return false;
    for (size_t i = 0; !o->level_file && i < *n; i++) {
        if (out[i].innodb && out[i].levels)
            return err_set(err, ERR_USAGE,
                           "my-rr and a level for one function, expected one "
                           "level for all");
        if (!isolation_is_mixed(&out[i]))
            out[i].common = isolation_of(&out[i], 0);
        if (!isolation_is_family(&out[i]))
            return err_set(err, ERR_USAGE,
                           "functions at rc and at a level that PostgreSQL "
                           "does not have, expected rc, si and ser only");
    }
    return true;
}

const char *
isolation_brief(enum level l)
{
    return l == LEVEL_RA ? "ec" : level_table[l].brief;
}

void
isolation_show(const struct level_choice *i, const struct program *p,
               struct buf *out)
{
    buf_text(out, i->innodb ? "my-rr"
                  : i->own  ? i->name
                            : level_table[i->common].name);
    for (uint32_t f = 0; i->levels && f < i->functions; f++)
        if (i->levels[f] != i->common)
            buf_printf(out, ", %s at %s", p->functions.at[f]->name,
                       isolation_brief(i->levels[f]));
    for (uint32_t f = 0; i->pairs && f < i->functions; f++)
        for (uint32_t g = f; g < i->functions; g++)
            if (isolation_is_paired(i, f, g))
                buf_printf(out, ", %s beside no %s", p->functions.at[f]->name,
                           p->functions.at[g]->name);
}

static void
json_pairs(const struct level_choice *i, const struct program *p,
           struct buf *out)
{
    const char *separator = "";
    buf_text(out, ",\"serializable\":[");
    for (uint32_t f = 0; f < i->functions; f++)
        for (uint32_t g = f; g < i->functions; g++) {
            if (!isolation_is_paired(i, f, g))
                continue;
            const char *const a = p->functions.at[f]->name;
            const char *const b = p->functions.at[g]->name;
            buf_printf(out, "%s[", separator);
            buf_json(out, a, strlen(a));
            buf_char(out, ',');
            buf_json(out, b, strlen(b));
            buf_char(out, ']');
            separator = ",";
        }
    buf_char(out, ']');
}

void
isolation_json(const struct level_choice *i, const struct program *p,
               struct buf *out)
{
    const char *const name = i->innodb ? "my-rr"
                             : i->own  ? i->name
                                       : level_table[i->common].brief;
    buf_text(out, "\"level\":");
    buf_json(out, name, strlen(name));
    if (i->pairs)
        json_pairs(i, p, out);
    if (!isolation_is_mixed(i))
        return;
    buf_text(out, ",\"levels\":{");
    for (uint32_t f = 0; f < i->functions; f++) {
        buf_text(out, f ? "," : "");
        buf_json(out, p->functions.at[f]->name,
                 strlen(p->functions.at[f]->name));
        buf_printf(out, ":\"%s\"", isolation_brief(i->levels[f]));
    }
    buf_char(out, '}');
}
