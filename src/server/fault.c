/* fault.c -- parse faults, and inject them into a server.
 *
 * SPDX-License-Identifier: MIT */
#include "server/server.h"

#include "base/limits/limit.h"
#include "base/quantity.h"
#include "driver/driver.h"
#include "driver/sql/sql.h"
#include "server/ask.h"
#include "server/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_PATIENCE = 30 }; // seconds

const char *const fault_names[FAULTS] = {
    [FAULT_KILL] = "kill",
    [FAULT_STOP] = "stop",
    [FAULT_DISCONNECT] = "disconnect",
    [FAULT_RESTART] = "restart",
    [FAULT_FAILOVER] = "failover",
};

/* --- parsing ---------------------------------------------------------------*/

bool
fault_time_parse(const char *text, size_t n, struct fault_time *out)
{
    static const char every[] = "every:";
    const size_t word = strlen(every);
    *out = (struct fault_time){0};
    out->repeats = n > word && memcmp(text, every, word) == 0;
    const size_t from = out->repeats ? word : 0;
    const bool ok =
        quantity_parse(text + from, n - from, QUANTITY_SECONDS, &out->seconds);
    out->every = out->repeats ? out->seconds : 0;
    return ok;
}

static bool
parse_one(const char *text, size_t n, size_t nodes, struct fault *out)
{
    const size_t word = strcspn(text, ":@,");
    *out = (struct fault){.kind = FAULTS};
    for (int k = 0; k < FAULTS; k++)
        if (strlen(fault_names[k]) == word &&
            memcmp(fault_names[k], text, word) == 0)
            out->kind = (enum fault_kind)k;
    char *at = NULL;
    const char *sign = text + word;
    if (*sign == ':') {
        const unsigned long node = strtoul(sign + 1, &at, 10);
        if (node < 1 || node > nodes)
            return false;
        out->node = node - 1;
        out->has_node = true;
        sign = at;
    }
    if (out->kind == FAULTS || *sign != '@')
        return false;
    sign++;
    return fault_time_parse(sign, (size_t)(text + n - sign), &out->time) &&
           (!out->time.repeats || out->time.every > 0);
}

bool
faults_parse(const char *text, size_t nodes, fault_vec *out, struct err *err)
{
    while (*text) {
        const size_t n = strcspn(text, ",");
        struct fault f;
        if (!parse_one(text, n, nodes, &f))
            return err_set(err, ERR_USAGE,
                           "unknown fault '%.*s'; expected kill, stop, "
                           "disconnect, restart or failover, a node from 1 to "
                           "%zu, and a time, as in 'kill@2', 'stop:1@500ms' "
                           "or 'kill@every:3s'",
                           (int)n, text, nodes);
        vec_push(out, f);
        text += n + (text[n] == ',');
    }
    return true;
}

bool
faults_expect(const fault_vec *faults, const char *what, struct err *err)
{
    const struct server_kind *kind;
    size_t nodes;
    if (!servers_kind(what, &kind, &nodes, err))
        return false;
    for (size_t i = 0; i < faults->n; i++) {
        if (faults->at[i].kind != FAULT_FAILOVER)
            continue;
        if (!kind->fails_over || nodes < kind->fails_over)
            return err_set(err, ERR_USAGE,
                           "a failover needs servers that can take over, "
                           "expected postgresql+standby, postgresql+sync or "
                           "galera:N with N from 3, found %s",
                           what);
        if (kind->nodes && faults->at[i].has_node)
            return err_set(err, ERR_USAGE,
                           "a failover of %s is that of its primary, expected "
                           "failover@T without a node",
                           what);
    }
    return true;
}

/* --- injecting -------------------------------------------------------------*/

static bool
cut_connections(struct connection *c, struct err *err)
{
    const struct dialect *dialect = c->driver->sql;
    struct result_rows rows = {0};
    const bool ok = sql_must(c, dialect->clients, &rows, err);
    for (size_t i = 0; ok && i < rows.n; i++) {
        struct buf sql = {0};
        char id[24];
        snprintf(id, sizeof id, "%llu",
                 strtoull(result_rows_get(&rows, i, 0), NULL, 10));
        sql_fill(&sql, dialect->cut, id);
        // It does no harm if the connection is closed already.
        c->driver->query(c, sql.at, NULL);
        buf_free(&sql);
    }
    result_rows_free(&rows);
    return ok;
}

/* Freeze a server for a second.  Each client of PostgreSQL has a process of its
 * own.  The first process stops first and starts none meanwhile.  The guard has
 * to know the others, because a process that is frozen does not notice that the
 * first one has ended. */
static void
freeze(struct servers *s, const struct node *n)
{
    pid_vec all = {0};
    kill(n->pid, SIGSTOP);
    process_children(n->pid, &all);
    for (size_t i = 0; i < all.n; i++) {
        guard_add(&s->guard, all.at[i]);
        kill(all.at[i], SIGSTOP);
    }
    time_pause(1);
    for (size_t i = 0; i < all.n; i++) {
        kill(all.at[i], SIGCONT);
        guard_remove(&s->guard, all.at[i]);
    }
    kill(n->pid, SIGCONT);
    vec_free(&all);
}

size_t
servers_fault_node(const struct servers *s, const struct fault *f)
{
    return f->kind == FAULT_FAILOVER && !f->has_node ? s->primary : f->node;
}

bool
servers_fault(struct servers *s, const struct fault *f, struct err *err)
{
    const size_t node = servers_fault_node(s, f);
    struct node *n = &s->nodes.at[node];
    switch (f->kind) {
    case FAULT_KILL:
    case FAULT_RESTART:
        node_stop(s, n, f->kind == FAULT_KILL ? SIGKILL : s->kind->stop_signal);
        return node_start(s, n, n->url, err) || servers_blame(s, err);
    case FAULT_STOP:
        freeze(s, n);
        return true;
    case FAULT_DISCONNECT:
        return server_ask(n->url, cut_connections, ANSWER_PATIENCE,
                          s->interrupted, err);
    case FAULT_FAILOVER:
        return s->kind->fail_over(s, node, err) || servers_blame(s, err);
    default:
        return err_set(err, ERR_INTERNAL, "no such fault");
    }
}
