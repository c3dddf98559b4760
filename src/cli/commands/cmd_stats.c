/* cmd_stats.c -- assay stats: print the sizes of histories.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/limits/context.h"
#include "cli/cli.h"
#include "history/summary.h"
#include "report/power.h"

#include <inttypes.h>

static void
row(struct buf *out, const char *name, uint64_t n)
{
    buf_printf(out, "  %-22s %12" PRIu64 "\n", name, n);
}

static void
row_if(struct buf *out, const char *name, uint64_t n)
{
    if (n)
        row(out, name, n);
}

static void
show_text(struct buf *out, const char *path, const char *format,
          const struct history *h, const struct summary *s)
{
    buf_shown(out, path);
    buf_printf(out, " (%s)\n", format);
    row(out, "sessions", s->sessions);
    row(out, "transactions", s->transactions);
    row(out, "  committed", s->committed);
    row_if(out, "  aborted", s->aborted);
    row_if(out, "  indeterminate", s->indeterminate);
    row_if(out, "    read from", s->indeterminate_read);
    row_if(out, "    may be read from", s->indeterminate_open);
    row_if(out, "  loading", s->loading);
    row(out, "operations", s->operations);
    row(out, "  reads", s->reads);
    row(out, "    external", s->external_reads);
    row(out, "    of initial values", s->initial_reads);
    row_if(out, "    ambiguous", s->ambiguous_reads);
    row_if(out, "    inconsistent", s->inconsistent_reads);
    row(out, "  writes", s->writes);
    row(out, "    blind", s->blind_writes);
    row(out, "keys", s->keys);
    row_if(out, "  lists", s->list_keys);
    row(out, "values", s->values);
    row_if(out, "  with several writers", s->several_writers);
    buf_printf(out, "  %-22s %12" PRIu64 " to %" PRIu64 "\n",
               "operations a txn", s->smallest_txn, s->largest_txn);
    buf_printf(out, "  %-22s %12" PRIu64 " to %" PRIu64 "\n", "txns a session",
               s->shortest_session, s->longest_session);
    if (s->hottest_key != ID_NONE) {
        buf_text(out, "  hottest key            ");
        history_show_key(h, s->hottest_key, out);
        buf_printf(out, ", %" PRIu64 " operations\n", s->hottest_ops);
    }
    buf_printf(out, "  %-22s %12s\n", "times", s->has_times ? "yes" : "no");
}

static void
show_json(struct buf *out, const char *path, const char *format,
          const struct history *h, const struct summary *s)
{
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {
        {"sessions", s->sessions},
        {"transactions", s->transactions},
        {"committed", s->committed},
        {"aborted", s->aborted},
        {"indeterminate", s->indeterminate},
        {"indeterminate_read", s->indeterminate_read},
        {"indeterminate_open", s->indeterminate_open},
        {"loading", s->loading},
        {"operations", s->operations},
        {"reads", s->reads},
        {"external_reads", s->external_reads},
        {"initial_reads", s->initial_reads},
        {"ambiguous_reads", s->ambiguous_reads},
        {"inconsistent_reads", s->inconsistent_reads},
        {"writes", s->writes},
        {"blind_writes", s->blind_writes},
        {"keys", s->keys},
        {"list_keys", s->list_keys},
        {"values", s->values},
        {"values_with_several_writers", s->several_writers},
        {"smallest_transaction", s->smallest_txn},
        {"largest_transaction", s->largest_txn},
        {"shortest_session", s->shortest_session},
        {"longest_session", s->longest_session},
    };
    json_object(out, NULL);
    json_text(out, "history", path);
    json_text(out, "format", format);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_u64(out, rows[i].name, rows[i].n);
    if (s->hottest_key != ID_NONE) {
        json_key(out, "hottest_key");
        atom_json(&h->strings, history_key_atom(h, s->hottest_key), out);
        json_u64(out, "hottest_key_operations", s->hottest_ops);
    }
    json_bool(out, "times", s->has_times);
}

/* The power to test rc, si and ser, between which the others lie. */
static void
show_power(struct buf *out, const struct history *h, bool json)
{
    struct overlap p;
    struct buf weakness = {0};
    const level_set levels = 1u << LEVEL_SER | 1u << LEVEL_SI | 1u << LEVEL_RC;
    overlap_count(h, POWER_WORK, &p);
    if (json) {
        power_json(&p, levels, false, out);
        return;
    }
    power_text(&p, out);
    power_advice(&p, levels, false, &weakness);
    if (weakness.n)
        buf_printf(out, "  weak test: %s.\n", weakness.at);
    buf_free(&weakness);
}

int
cmd_stats(const struct options *o)
{
    if (!o->paths.n)
        return cli_usage_error("stats needs a history");
    int status = EXIT_HOLDS;
    struct buf out = {0};
    for (size_t i = 0; i < o->paths.n; i++) {
        struct history h;
        const struct format *format;
        if (!cli_load(o, o->paths.at[i], &h, &format)) {
            status = EXIT_ERROR;
            continue;
        }
        struct summary s;
        context_phase("counting");
        summary_of(&h, cli_thread_count(o), &s);
        (o->json ? show_json : show_text)(&out, o->paths.at[i], format->name,
                                          &h, &s);
        if (o->power)
            show_power(&out, &h, o->json);
        if (o->json)
            json_end_line(&out);
        history_free(&h);
        o->json ? cli_emit(&out) : cli_emit_text(&out);
    }
    buf_free(&out);
    return status;
}
