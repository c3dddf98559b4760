/* operation.c -- see operation.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/operation.h"

#include "base/print.h"

#include <inttypes.h>

void
operation_state_free(struct operation_state *s)
{
    vec_free(&s->elements);
    item_state_free(&s->items);
}

static enum outcome
run(struct connection *c, const struct workload_step *step, bool is_autocommit,
    struct operation_state *s, struct jsonl_record *t, bool *is_missing)
{
    const struct driver *d = c->driver;
    struct driver_read reading;
    enum outcome outcome;
    switch (step->kind) {
    case STEP_READ:
        outcome = d->read(c, step->key, &reading);
        *is_missing = c->no_row;
        if (outcome == OUTCOME_OK)
            jsonl_record_read(t, step->key,
                              reading.has_value ? &reading.value : NULL);
        return outcome;
    case STEP_READ_LIST:
        outcome = d->read_list(c, step->key, &s->elements);
        *is_missing = c->no_row;
        if (outcome == OUTCOME_OK)
            jsonl_record_read_list(t, step->key, s->elements.at, s->elements.n);
        return outcome;
    // A failed operation is recorded too: it may have had an effect.
    case STEP_WRITE:
        outcome = d->write(c, step->key, step->value, is_missing);
        if (!*is_missing)
            jsonl_record_write(t, step->key, step->value);
        return outcome;
    case STEP_APPEND:
        outcome = d->append(c, step->key, step->value, is_missing);
        if (!*is_missing)
            jsonl_record_append(t, step->key, step->value);
        return outcome;
    default:
        return item_step_run(c, step, is_autocommit, &s->items, t);
    }
}

enum outcome
operation_run(struct connection *c, const struct workload_step *step,
              bool is_autocommit, struct operation_state *s,
              struct jsonl_record *t)
{
    bool is_missing = false;
    c->no_row = false;
    const enum outcome outcome = run(c, step, is_autocommit, s, t, &is_missing);
    if (outcome == OUTCOME_OK && is_missing) {
        char key[48];
        print_text(key, sizeof key, "%s of key %" PRIu64,
                   step->kind == STEP_READ || step->kind == STEP_READ_LIST
                       ? "read"
                       : "write",
                   step->key);
        findings_add(&s->findings, SERVER_ERROR_VANISHED, "no-row",
                     "no row was found", key);
    }
    return outcome;
}

enum driver_access
operation_draw_access(unsigned set, struct random *random)
{
    if (!(set & (set - 1))) {
        // One bit, or none.
        for (int i = 0; i < ACCESSES; i++)
            if (set >> i & 1)
                return (enum driver_access)i;
        return ACCESS_KEY;
    }
    for (;;) {
        const uint64_t i = random_below(random, ACCESSES);
        if (set >> i & 1)
            return (enum driver_access)i;
    }
}
