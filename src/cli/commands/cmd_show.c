/* cmd_show.c -- assay show: print transactions and sessions.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_CANDIDATES = 5 };

/* The transactions that may have appended an element, if there are several.
 */
static struct txn_range
find_authors(const struct history *h, value_id v)
{
    for (size_t i = 0; i < h->authors.n; i++)
        if (h->authors.at[i].value == v && v != VALUE_INIT)
            return (struct txn_range){h->author_items.at +
                                          h->authors.at[i].first,
                                      h->authors.at[i].n};
    return (struct txn_range){NULL, 0};
}

static void
show_writers(const struct history *h, op_id op, txn_id reader, struct buf *out)
{
    const value_id v = h->op_value[op];
    struct txn_range c = find_authors(h, v);
    if (!c.n && !history_has_several(h, v)) {
        buf_text(out, "from ");
        history_show_txn(h, history_writer(h, v), out);
        return;
    }
    if (!c.n)
        c = history_candidates(h, v);
    size_t shown = 0;
    buf_text(out, "from one of ");
    for (size_t i = 0; i < c.n && shown < MOST_CANDIDATES; i++) {
        if (c.at[i] == reader)
            continue;
        buf_text(out, shown++ ? ", " : "");
        history_show_txn(h, c.at[i], out);
    }
    if (c.n > shown)
        buf_printf(out, " (%zu candidates)", c.n);
}

/* The external read that op is or begins with; or ID_NONE. */
static op_id
find_external(const struct history *h, op_id op)
{
    if (op_is_external_read(h, op))
        return op;
    for (size_t i = 0; i < h->implied.n; i++)
        if (h->implied.at[i].whole == op &&
            op_is_external_read(h, h->implied.at[i].op))
            return h->implied.at[i].op;
    return ID_NONE;
}

static void
show_op(const struct history *h, txn_id t, op_id op, struct buf *out)
{
    const size_t start = out->n;
    buf_text(out, "  ");
    history_show_op(h, op, out);
    const size_t width = out->n - start;
    const char *note = NULL;
    const bool list = op_is_of_list(h, op);
    const op_id external = find_external(h, op);
    if (h->op_key[op] & OP_REJECTED)
        note = "inconsistent read";
    else if (op_is_write(h, op))
        note = op_is_final_write(h, op) || list ? NULL : "overwritten below";
    else if (external == ID_NONE)
        note = list ? "own elements" : "own write";
    const bool from = external != ID_NONE && h->txn_counts[t];
    if (note || from)
        buf_printf(out, "%*s", width < 30 ? (int)(30 - width) : 2, "");
    if (note)
        buf_text(out, note);
    else if (from && external != op)
        buf_text(out, "own elements, before them ");
    if (!note && from)
        show_writers(h, external, t, out);
    buf_char(out, '\n');
}

static void
show_txn(const struct history *h, txn_id t, struct buf *out)
{
    static const char *const status[] = {
        [TXN_COMMITTED] = "committed",
        [TXN_ABORTED] = "aborted",
        [TXN_INDETERMINATE] = "indeterminate",
        [TXN_LOADING] = "loads initial values",
    };
    const session_id s = h->txn_session[t];
    buf_text(out, "transaction ");
    history_show_txn(h, t, out);
    buf_text(out, ": session ");
    history_show_session(h, s, out);
    buf_printf(out, ", %u of %u, %s", t - h->session_first[s] + 1,
               h->session_first[s + 1] - h->session_first[s],
               status[h->txn_status[t]]);
    if (h->txn_status[t] == TXN_INDETERMINATE)
        buf_text(out, h->txn_counts[t] == TXN_COUNTS
                          ? ", but another transaction read from it"
                      : h->txn_counts[t] == TXN_MAY_COUNT
                          ? ", and another transaction may have read from it"
                          : ", left out");
    if (h->txn_began && h->txn_began[t] != INT64_MIN)
        buf_printf(out, ", from %" PRId64, h->txn_began[t]);
    if (h->txn_ended && h->txn_ended[t] != INT64_MAX)
        buf_printf(out, ", until %" PRId64, h->txn_ended[t]);
    buf_char(out, '\n');
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_implied(h, op))
            show_op(h, t, op, out);
    if (h->txn_partial && h->txn_partial[t] != ID_NONE) {
        const struct string partial =
            strings_get(&h->strings, h->txn_partial[t]);
        buf_printf(out, "  not recorded: %.*s\n", (int)partial.len,
                   partial.text);
    }
    if (h->txn_meta && h->txn_meta[t] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[t]);
        buf_text(out, "  ");
        // JSON text is printable, except for DEL, which a terminal ignores.
        buf_add(out, meta.text, meta.len);
        buf_char(out, '\n');
    }
}

/* Show the transactions of that name; false if there is none. */
static bool
show_named(const struct history *h, const char *name, struct buf *out)
{
    bool found = false;
    struct buf shown = {0};
    for (txn_id t = 0; t < h->n_txns; t++) {
        buf_clear(&shown);
        history_show_txn(h, t, &shown);
        if (strcmp(shown.at, name) != 0)
            continue;
        show_txn(h, t, out);
        found = true;
    }
    buf_free(&shown);
    return found;
}

static bool
show_session(const struct history *h, const char *name, struct buf *out)
{
    bool found = false;
    struct buf shown = {0};
    for (session_id s = 0; s < h->n_sessions; s++) {
        buf_clear(&shown);
        history_show_session(h, s, &shown);
        if (strcmp(shown.at, name) != 0)
            continue;
        for (txn_id t = h->session_first[s]; t < h->session_first[s + 1]; t++)
            show_txn(h, t, out);
        found = true;
    }
    buf_free(&shown);
    return found;
}

int
cmd_show(const struct options *o)
{
    static const char session[] = "session:";
    if (o->paths.n < 2)
        return cli_usage_error("show needs a history and transactions, or "
                               "session:NAME");
    struct history h;
    if (!cli_load(o, o->paths.at[0], &h, NULL))
        return EXIT_ERROR;
    int status = EXIT_HOLDS;
    struct buf out = {0};
    for (size_t i = 1; i < o->paths.n; i++) {
        const char *name = o->paths.at[i];
        const bool is_session = strncmp(name, session, sizeof session - 1) == 0;
        const bool found =
            is_session ? show_session(&h, name + sizeof session - 1, &out)
                       : show_named(&h, name, &out);
        cli_emit_text(&out);
        if (!found)
            status =
                cli_usage_error("%s has no %s '%s'", o->paths.at[0],
                                is_session ? "session" : "transaction",
                                is_session ? name + sizeof session - 1 : name);
    }
    buf_free(&out);
    history_free(&h);
    return status;
}
