/* proof_log.c -- see proof_log.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/proof_log.h"

#include <assert.h>

void
proof_log_add(struct proof_log *log, const char *assertions, const char *what)
{
    struct buf text = {0};
    buf_printf(&text, "; %s\n(set-info :status unsat)\n", what);
    buf_text(&text, assertions);
    buf_text(&text, "\n(check-sat)\n");
    vec_push(&log->queries, text);
}

void
proof_log_cut(struct proof_log *log, size_t n)
{
    assert(n <= log->queries.n);
    while (log->queries.n > n)
        buf_free(&log->queries.at[--log->queries.n]);
}

void
proof_log_free(struct proof_log *log)
{
    proof_log_cut(log, 0);
    vec_free(&log->queries);
}
