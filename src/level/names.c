/* names.c -- see names.h.
 *
 * SPDX-License-Identifier: MIT */
#include "level/names.h"

#include "base/ascii.h"
#include "base/spelling.h"

#include <stdio.h>
#include <string.h>

#define SAME FIT_SAME
#define SESSIONLESS FIT_WITHOUT_SESSIONS
#define CLOSEST FIT_CLOSEST

// clang-format off
const struct level_name level_names[] = {
    {"PL-1", "Adya", CLOSEST, LEVEL_READS, "it forbids only dirty writes"},
    {"PL-2", "Adya", CLOSEST, LEVEL_RC, "weaker: a transaction may see part of another and then miss the rest"},
    {"PL-2+", "Adya", SESSIONLESS, LEVEL_PSI, ""},
    {"PL-2.99", "Adya", CLOSEST, LEVEL_SER, "it forbids what PL-3 does, predicates aside"},
    {"PL-SI", "Adya", SESSIONLESS, LEVEL_SI, ""},
    {"PL-3", "Adya", SESSIONLESS, LEVEL_SER, ""},
    {"PL-3U", "Adya", CLOSEST, LEVEL_PSI, "it also keeps updates serializable"},
    {"PL-SS", "Adya", SAME, LEVEL_STRICT_SER, ""},
    {"1SR", "literature", SESSIONLESS, LEVEL_SER, ""},
    {"session-serializable", "literature", SAME, LEVEL_SER, ""},
    {"linearizable", "literature", CLOSEST, LEVEL_STRICT_SER, "the same where every transaction is one operation"},
    {"sequential", "literature", CLOSEST, LEVEL_SER, "the same where every transaction is one operation"},
    {"snapshot-isolation", "Elle", SESSIONLESS, LEVEL_SI, ""},
    {"parallel-snapshot-isolation", "Elle", SESSIONLESS, LEVEL_PSI, "Elle looks for less than the definition"},
    {"causal-cerone", "Elle", SESSIONLESS, LEVEL_CC, "Elle looks for less than the definition"},
    {"consistent-view", "Elle", SESSIONLESS, LEVEL_PSI, "PL-2+"},
    {"conflict-serializable", "Elle", SESSIONLESS, LEVEL_SER, ""},
    {"view-serializable", "Elle", SESSIONLESS, LEVEL_SER, ""},
    {"update-serializable", "Elle", CLOSEST, LEVEL_PSI, "it also keeps updates serializable"},
    {"cursor-stability", "Elle", CLOSEST, LEVEL_RC, "it forbids lost updates; rc does not"},
    {"monotonic-atomic-view", "Elle", CLOSEST, LEVEL_RC, "rc has its rule: what was seen is not unseen"},
    {"strong-session-read-committed", "Elle", CLOSEST, LEVEL_RC, "weaker: a transaction may see part of another and then miss the rest"},
    {"strong-session-snapshot-isolation", "Elle", SAME, LEVEL_SI, ""},
    {"strong-session-serializable", "Elle", SAME, LEVEL_SER, ""},
    {"strong-snapshot-isolation", "Elle", SAME, LEVEL_STRICT_SI, ""},
    {"strong-serializable", "Elle", SAME, LEVEL_STRICT_SER, ""},
    {"read-uncommitted", "SQL", CLOSEST, LEVEL_READS, "every level here rules out dirty reads"},
    {"repeatable-read", "SQL", CLOSEST, LEVEL_SI, "databases differ: PostgreSQL means si, MariaDB less, the standard more but for predicates"},
    {"READ COMMITTED", "PostgreSQL", CLOSEST, LEVEL_RC, "stronger: no dirty writes, and each statement reads one snapshot"},
    {"REPEATABLE READ", "PostgreSQL", SAME, LEVEL_SI, ""},
    {"SERIALIZABLE", "PostgreSQL", SAME, LEVEL_SER, ""},
    {"READ COMMITTED", "MariaDB", CLOSEST, LEVEL_RC, "stronger: no dirty writes, and each statement reads one snapshot"},
    {"REPEATABLE READ", "MariaDB", CLOSEST, LEVEL_RC, "plain reads are of one snapshot, writes act on the latest rows: even ra can fail"},
    {"SERIALIZABLE", "MariaDB", SAME, LEVEL_SER, ""},
    {"every level", "SQLite", SAME, LEVEL_SER, "without shared cache; strict-ser where times are known"},
    {0},
};
// clang-format on

static bool
same(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && ascii_compare_n(name, text, len) == 0;
}

/* Names with a space are for people: -l takes words. */
static const struct level_name *
find_name(const char *text, size_t len)
{
    for (const struct level_name *n = level_names; n->name; n++)
        if (!strchr(n->name, ' ') && same(n->name, text, len))
            return n;
    return NULL;
}

/* --- names that are nearly right ------------------------------------------ */

/* The level name that text is nearly, or NULL. */
static const char *
nearest(const char *text, size_t len)
{
    struct spelling s = spelling_of(text, len);
    for (int l = 0; l < LEVELS; l++) {
        const struct level_info *r = &level_table[l];
        spelling_try(&s, r->name, r->name);
        spelling_try(&s, r->brief, r->brief);
        spelling_try(&s, r->title, r->name);
    }
    return s.best;
}

static bool
refuse(const char *text, size_t len, struct err *err)
{
    char quoted[ERR_QUOTE_ROOM];
    err_quote(quoted, sizeof quoted, text, len);
    const struct level_name *n = find_name(text, len);
    if (n && n->fit == FIT_WITHOUT_SESSIONS)
        return err_set(err, ERR_USAGE,
                       "'%s' has no session order: say -l %s "
                       "--no-session-order, or -l %s to respect sessions",
                       quoted, level_table[n->level].brief,
                       level_table[n->level].brief);
    if (n)
        return err_set(err, ERR_USAGE,
                       "'%s' is not a level here; the closest is %s (%s)",
                       quoted, level_table[n->level].brief, n->note);
    const char *near = nearest(text, len);
    if (near)
        return err_set(err, ERR_USAGE, "unknown level '%s'; did you mean %s?",
                       quoted, near);
    return err_set(err, ERR_USAGE,
                   "unknown level '%s'; 'assay levels' lists them", quoted);
}

/* --- lists ---------------------------------------------------------------- */

static bool
parse_one(const char *text, size_t len, bool session_order, enum level *out)
{
    if (level_parse(text, len, out))
        return true;
    const struct level_name *n = find_name(text, len);
    if (!n || (n->fit != FIT_SAME &&
               !(n->fit == FIT_WITHOUT_SESSIONS && !session_order)))
        return false;
    *out = n->level;
    return true;
}

bool
level_parse_list(const char *text, bool session_order, level_set *out,
                 struct err *err)
{
    const level_set every = (1u << LEVELS) - 1;
    *out = 0;
    for (;;) {
        const size_t n = strcspn(text, ",");
        enum level l;
        if (same("all", text, n))
            *out |= (every & ~(1u << LEVEL_READS)) | LEVEL_SET_ALL;
        else if (parse_one(text, n, session_order, &l))
            *out |= 1u << l;
        else
            return refuse(text, n, err);
        if (!text[n])
            return true;
        text += n + 1;
    }
}
