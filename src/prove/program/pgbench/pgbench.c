/* pgbench.c -- see pgbench.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench.h"

#include "base/memory/mem.h"
#include "prove/program/pgbench/pgbench_function.h"

bool
pgbench_is(const char *text)
{
    static const char *const words[] = {"begin",  "start",  "select", "with",
                                        "insert", "update", "delete"};
    uint32_t line = 1;
    const char *at = pgbench_skip_blank(text, &line);
    bool is = *at == '\\';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is = is || pgbench_begins_with(at, words[i]);
    return is;
}

/* Where transactions begin and end. */
static bool
find_transactions(struct pgbench *s, struct pgbench_transaction *all, size_t *n)
{
    bool inside = false;
    *n = 0;
    for (size_t i = 0; i < s->commands.n; i++) {
        const struct pgbench_command *c = &s->commands.at[i];
        const bool ends =
            c->kind == COMMAND_COMMIT || c->kind == COMMAND_ROLLBACK;
        if (c->kind == COMMAND_BEGIN && inside)
            return pgbench_fail(s, c->line, "BEGIN inside of a transaction");
        if (ends && !inside)
            return pgbench_fail(s, c->line,
                                "the end of a transaction that did not "
                                "begin");
        if (c->kind >= COMMAND_IF && c->kind <= COMMAND_ENDIF && !inside)
            return pgbench_fail(s, c->line,
                                "\\if outside of a transaction is not "
                                "supported");
        if (c->kind == COMMAND_BEGIN || (c->kind == COMMAND_SQL && !inside))
            all[(*n)++] = (struct pgbench_transaction){.first = i, .last = i};
        inside = (inside || c->kind == COMMAND_BEGIN) && !ends;
        if (inside || ends)
            all[*n - 1].last = i;
    }
    if (inside)
        return pgbench_fail(s, s->commands.at[all[*n - 1].first].line,
                            "BEGIN without COMMIT");
    return true;
}

const char *
pgbench_functions(struct arena *arena, const char *path, const char *text,
                  struct err *err)
{
    struct pgbench s = {.arena = arena,
                        .path = path,
                        .text = text,
                        .at = text,
                        .line = 1,
                        .out_line = 1,
                        .err = err};
    size_t n = 0;
    bool ok = pgbench_read_commands(&s) && pgbench_check_quotes(&s);
    struct pgbench_transaction *all = mem_calloc(s.commands.n + 1, sizeof *all);
    ok = ok && find_transactions(&s, all, &n);
    for (size_t i = 0; ok && i < n; i++)
        ok = pgbench_put_function(&s, &all[i], i, n);
    for (size_t i = 0; i < n; i++) {
        vec_free(&all[i].parameters);
        vec_free(&all[i].assigned);
    }
    const char *functions =
        ok ? arena_copy(arena, s.out.n ? s.out.at : "", s.out.n) : NULL;
    mem_free(all);
    vec_free(&s.commands);
    buf_free(&s.out);
    return functions;
}
