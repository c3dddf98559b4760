/* predict_input.c -- see predict_input.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/predict_input.h"

#include "base/memory/arena.h"
#include "check/check.h"
#include "history/endpoint.h"
#include "history/row/serial_rows.h"

#include <string.h>

// The session in which recorders read the final state of the database.  No
// client asked for it, so no client could have read anything else.
static const char final_session[] = "final state";

static bool
needs_order(const struct history *h, const struct predict_input *how)
{
    bool has_several = false;
    for (op_id op = 0; !h->key_is_list && op < h->n_ops; op++)
        has_several |= op_is_external_read(h, op) &&
                       history_has_several(h, h->op_value[op]);
    return !h->key_is_list &&
           (h->key_rows || has_several || how->each_alone || how->with_locks);
}

static bool
is_final(const struct history *h, session_id s)
{
    const struct atom name = h->session_name[s];
    return h->rows && atom_is_text(name) &&
           strcmp(strings_get(&h->strings, (uint32_t)name.bits).text,
                  final_session) == 0;
}

static bool
has_counting(const struct history *h)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t])
            return true;
    return false;
}

/* The names of transactions by their endpoints, numbered in the serial order.
 */
static const char **
name_all(const struct history *h, const u32_vec *order, struct arena *arena)
{
    const char **names = mem_calloc(h->n_txns + 1, sizeof *names);
    uint32_t *number = mem_calloc(h->n_txns + 1, sizeof *number);
    struct strings endpoints = {0};
    const bool has_applications = endpoint_has_applications(h);
    for (size_t i = 0; i < order->n; i++) {
        const txn_id t = order->at[i];
        struct buf name = {0};
        if (endpoint_or_shape(h, t, has_applications, &name)) {
            const uint32_t endpoint = strings_add(&endpoints, name.at, name.n);
            buf_printf(&name, " %u", ++number[endpoint]);
            names[t] = arena_copy(arena, name.at, name.n);
        }
        buf_free(&name);
    }
    strings_free(&endpoints);
    mem_free(number);
    return names;
}

/* Make registers of h by a serial order. */
static bool
make_registers(struct history *h, const struct predict_input *how,
               const u32_vec *order, struct err *err)
{
    struct history registers;
    txn_id *from;
    uint8_t *left_out = mem_calloc(h->n_txns + 1, 1);
    for (session_id s = 0; s < h->n_sessions; s++)
        if (is_final(h, s))
            memset(left_out + h->session_first[s], 1,
                   h->session_first[s + 1] - h->session_first[s]);
    struct arena arena = {0};
    const char **names = how->each_alone ? name_all(h, order, &arena) : NULL;
    const struct serial_rows by = {.order = order->at,
                                   .n = order->n,
                                   .each_alone = how->each_alone,
                                   .with_locks = how->with_locks,
                                   .names = names,
                                   .left_out = left_out};
    const bool ok = serial_rows_make(h, &by, &registers, &from, err);
    mem_free(left_out);
    mem_free(names);
    arena_free(&arena);
    if (!ok)
        return false;
    mem_free(from);
    registers.n_skipped = h->n_skipped;
    registers.is_cut = h->is_cut;
    if (!how->is_lent)
        history_free(h);
    *h = registers;
    return true;
}

bool
predict_input_prepare(struct history *h, const struct predict_input *how,
                      struct err *err)
{
    if (!needs_order(h, how) || !has_counting(h))
        return true;
    if (how->is_exact)
        return err_set(err, ERR_FEATURE,
                       "--certificate needs registers, each value written "
                       "once, and the sessions of the file");
    const struct check_options options = {.levels = level_bit(LEVEL_TARGET),
                                          .threads = how->threads,
                                          .verify = true,
                                          .strong = strong_defaults};
    struct check check;
    if (!check_history(h, &options, &check, err))
        return false;
    const struct certificate *c = &check.results.at[0].certificate;
    const bool ok =
        c->verdict == VERDICT_OK
            ? make_registers(h, how, &c->order, err)
            : err_set(err, ERR_FEATURE,
                      c->verdict == VERDICT_VIOLATED
                          ? "the recorded execution is not serializable "
                            "itself: 'assay check' shows why"
                          : "no serial order of the recorded execution was "
                            "found, and prediction begins with one");
    check_free(&check);
    return ok;
}
