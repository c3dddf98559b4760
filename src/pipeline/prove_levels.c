/* prove_levels.c -- see prove_levels.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/prove_levels.h"

#include "format/input.h"
#include "prove/robust/prove.h"

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
read_levels(const struct prove_request *q, const struct program *p,
            struct level_choice *out, size_t *n, struct err *err)
{
    *n = 0;
    for (size_t i = 0; i < q->n_levels; i++)
        if (!take_levels(q->levels[i], p, false, out, n, err))
            return false;
    if (!*n)
        return err_set(err, ERR_USAGE,
                       "a level for one function, and none for the others, "
                       "expected one, as in '-l si,f=rc'");
    for (size_t i = 0; i < q->n_levels; i++)
        if (!take_levels(q->levels[i], p, true, out, n, err))
            return false;
    return true;
}

bool
prove_levels_read(const struct prove_request *q, const struct program *p,
                  struct level_choice *out, size_t *n, struct axioms *own,
                  struct err *err)
{
    memset(own, 0, sizeof *own);
    if (q->level_file) {
        *n = 1;
        out->own = own;
        out->name = q->level_file;
        if (!read_own(q->level_file, own, err))
            return false;
    } else if (!read_levels(q, p, out, n, err)) {
        return false;
    }
    for (size_t i = 0; i < q->n_pairs; i++)
        if (!take_pair(q->pairs[i], p, out, *n, err))
            return false;
    for (size_t i = 0; !q->level_file && i < *n; i++) {
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
