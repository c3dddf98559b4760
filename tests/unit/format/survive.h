/* survive.h -- whether a history survives being written and read again.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_FORMAT_SURVIVE_H
#define TEST_FORMAT_SURVIVE_H

#include "format/support.h"

/* What the documentation of each format says it loses. */
static inline unsigned
what_is_lost(const struct format *format)
{
    static const struct {
        const struct format *format;
        unsigned loses;
    } table[] = {
        {&format_hist, 0},
        {&format_jsonl, LOSES_KEYWORDS},
        {&format_edn, LOSES_TIMES},
        {&format_json, LOSES_TIMES | LOSES_KEYWORDS},
        {&format_csv, LOSES_TXN_NAMES | LOSES_KEYWORDS},
        {&format_trace,
         LOSES_SESSION_NAMES | LOSES_TXN_NAMES | LOSES_TIMES | LOSES_VALUES},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].format == format)
            return table[i].loses;
    return LOSES_SESSION_NAMES | LOSES_TXN_NAMES | LOSES_TIMES;
}

/* Whether t tells that it did not commit and yet read the initial state, which
 * a Jepsen log cannot tell from a read whose answer never came. */
static inline bool
has_open_initial_read(const struct history *h, txn_id t)
{
    if (h->txn_status[t] != TXN_ABORTED &&
        h->txn_status[t] != TXN_INDETERMINATE)
        return false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_write(h, op) && !op_is_implied(h, op) &&
            !op_is_of_row(h, op) &&
            atom_equal(history_value_atom(h, h->op_value[op]), h->initial))
            return true;
    return false;
}

static inline bool
has_empty_session(const struct history *h)
{
    for (session_id s = 0; s < h->n_sessions; s++)
        if (h->session_first[s] == h->session_first[s + 1])
            return true;
    return false;
}

/* Some formats give something else back by their nature: a trace knows the
 * recording of the initial state as the initial state; in lines of
 * transactions nothing is left of a session without any. */
static inline bool
is_comparable(const struct history *h, const struct format *format)
{
    const bool jepsen = format == &format_edn || format == &format_json;
    if ((jepsen || format == &format_jsonl) && has_empty_session(h))
        return false;
    for (txn_id t = 0; t < h->n_txns; t++)
        if ((format == &format_trace && h->txn_status[t] == TXN_LOADING) ||
            (jepsen && has_open_initial_read(h, t)))
            return false;
    return true;
}

/* Print a history that did not survive, in the format that holds most. */
static inline void
complain(const struct history *h, const struct format *format, const char *why)
{
    struct err err = {0};
    char *data = NULL;
    size_t size;
    printf("# %s: %s\n", format->name, why);
    if (write_memory(h, &format_hist, &data, &size, &err))
        for (const char *line = data; *line;) {
            const int n = (int)strcspn(line, "\n");
            printf("#     %.*s\n", n, line);
            line += n + (line[n] != 0);
        }
    free(data);
}

/* Write h, read it back, compare; true if all is well. */
static inline bool
survives(const struct history *h, const struct format *format, const char *path)
{
    struct history again;
    struct err err = {0};
    const struct format *used = NULL;
    if (!format_write(h, format, path, &err) ||
        !format_read(path, "auto", 1, &again, &used, &err)) {
        complain(h, format, err.text);
        return false;
    }
    const bool recognised = used == format;
    // Where names of sessions may be lost, they may be kept as well.
    const unsigned lost = what_is_lost(format);
    const bool same =
        !is_comparable(h, format) || same_history(h, &again, lost) ||
        same_history(h, &again, lost & ~(unsigned)LOSES_SESSION_NAMES);
    history_free(&again);
    if (!recognised)
        complain(h, format, used->name);
    if (!same)
        complain(h, format, "not the same");
    return recognised && same;
}

#endif
