/* proof_log.c -- see proof_log.h.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/proof/proof_log.h"

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
proof_log_free(struct proof_log *log)
{
    for (size_t i = 0; i < log->queries.n; i++)
        buf_free(&log->queries.at[i]);
    vec_free(&log->queries);
}
