/* orders.c -- see orders.h.
 *
 * The base stays in its observed order where it can: then only boundary
 * transactions are to be placed, and what is known about one of them serves
 * for all later orders.  So each boundary transaction of the model is tried at
 * every slot between the others; where a slot is found for each and together
 * they replay, they stay there.  Else the serial order itself is taken.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/orders.h"

/* A place between those of the observed order: boundary transactions before
 * the one whose place it is, in their own order. */
static uint64_t
place_of(uint64_t place, bool is_boundary, uint32_t tie)
{
    return place << 33 | (uint64_t)!is_boundary << 32 | tie;
}

static void
put_slots(const struct execution_search *s, uint64_t *place)
{
    const struct observed *o = s->o;
    for (uint32_t t = 0; t < o->n; t++) {
        place[2 * t] = place_of(o->place[t], false, 0);
        place[2 * t + 1] = place_of(s->slot[t], true, o->place[t]);
    }
}

void
orders_add_slots(struct execution_search *s)
{
    uint64_t *place = mem_alloc(2 * s->o->n + 1, sizeof *place);
    put_slots(s, place);
    formula_add_instance(&s->formula, place, level_sees_session(s->level),
                         s->o->is_serial);
    mem_free(place);
}

/* --- slots ---------------------------------------------------------------- */

static uint64_t
model_place(const struct execution_search *s, const uint64_t *place, uint32_t t)
{
    return place[2 * t + (s->model.role[t] == ROLE_BOUNDARY)];
}

/* Whether read r reads the last version before its reader, in the model. */
static bool
reads_last(const struct execution_search *s, const uint64_t *place, uint32_t r)
{
    const struct observed *o = s->o;
    const struct obs_read *read = &o->reads.at[r];
    const uint64_t here = model_place(s, place, read->txn);
    const uint32_t w = s->model.writer[r];
    const uint64_t from = w == OBS_INIT ? 0 : model_place(s, place, w);
    if (w != OBS_INIT && from > here)
        return false;
    for (uint32_t i = o->key_first[read->key]; i < o->key_first[read->key + 1];
         i++) {
        const uint32_t v = o->writes.at[o->key_write[i]].txn;
        if (v == w || v == read->txn ||
            !execution_has_write(&s->model, o->key_write[i]))
            continue;
        const uint64_t other = model_place(s, place, v);
        if (other < here && (w == OBS_INIT || other > from))
            return false;
    }
    return true;
}

/* Whether boundary transaction b fits where it is: it reads the last versions,
 * and no read depends on its versions. */
static bool
fits(const struct execution_search *s, const uint64_t *place, uint32_t b)
{
    const struct observed *o = s->o;
    const uint64_t here = model_place(s, place, b);
    if (o->prev[b] != OBS_NONE && model_place(s, place, o->prev[b]) > here)
        return false;
    for (uint32_t r = o->read_first[b];
         r < o->read_first[b] + s->model.reads[b]; r++)
        if (!reads_last(s, place, r))
            return false;
    for (uint32_t w = o->write_first[b]; w < o->write_first[b + 1]; w++) {
        if (!execution_has_write(&s->model, w))
            continue;
        for (size_t i = 0; i < s->readers[o->writes.at[w].key].n; i++) {
            const uint32_t r = s->readers[o->writes.at[w].key].at[i];
            if (execution_has_read(&s->model, r) && o->reads.at[r].txn != b &&
                !reads_last(s, place, r))
                return false;
        }
    }
    return true;
}

/* Find a slot for b, the others being where they are; the last one that
 * fits. */
static bool
find_slot(const struct execution_search *s, uint64_t *place, uint32_t b)
{
    const struct observed *o = s->o;
    for (uint32_t slot = o->n + 1; slot; slot--) {
        // Only next to transactions that take place is there a difference.
        if (slot <= o->n && s->model.role[o->order[slot - 1]] != ROLE_BASE)
            continue;
        place[2 * b + 1] = place_of(slot - 1, true, o->place[b]);
        if (fits(s, place, b)) {
            s->slot[b] = slot - 1;
            return true;
        }
    }
    return false;
}

static bool
find_slots(struct execution_search *s, uint64_t *place)
{
    const struct observed *o = s->o;
    put_slots(s, place);
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t t = o->order[i];
        if (s->model.role[t] == ROLE_BOUNDARY && !find_slot(s, place, t))
            return false;
    }
    for (uint32_t r = 0; r < o->reads.n; r++)
        if (execution_has_read(&s->model, r) && !reads_last(s, place, r))
            return false;
    return true;
}

/* Boundary transactions that are not in the model go to the slot of one that
 * is: what they read is often the same. */
static void
share_slot(struct execution_search *s)
{
    uint32_t slot = OBS_NONE;
    for (uint32_t t = 0; t < s->o->n; t++)
        if (s->model.role[t] == ROLE_BOUNDARY && slot == OBS_NONE)
            slot = s->slot[t];
    for (uint32_t t = 0; slot != OBS_NONE && t < s->o->n; t++)
        if (s->model.role[t] != ROLE_BOUNDARY)
            s->slot[t] = slot;
}

/* --- the serial order itself ---------------------------------------------- */

/* Transactions of the order as it says, the others at their places between
 * them. */
static void
put_order(const struct execution_search *s, const u32_vec *order,
          uint64_t *place)
{
    const struct observed *o = s->o;
    uint8_t *is_in = mem_calloc(o->n + 1, sizeof *is_in);
    for (size_t i = 0; i < order->n; i++)
        is_in[order->at[i]] = 1;
    uint32_t n = 0, next = 0; // placed; looked at in the observed order
    for (size_t i = 0; i <= order->n; i++) {
        const uint32_t end = i < order->n ? o->place[order->at[i]] : o->n;
        for (; next < end; next++)
            if (!is_in[o->order[next]])
                place[2 * o->order[next]] = place_of(n++, false, 0);
        if (i < order->n)
            place[2 * order->at[i]] = place_of(n++, false, 0);
    }
    assert(n == o->n);
    uint64_t shared = 0; // the place of some boundary transaction of the model
    for (uint32_t t = 0; t < o->n; t++)
        if (s->model.role[t] == ROLE_BOUNDARY)
            shared = place[2 * t];
    for (uint32_t t = 0; t < o->n; t++)
        place[2 * t + 1] = s->model.role[t] == ROLE_BOUNDARY
                               ? place[2 * t]
                               : shared + 1 + o->place[t];
    mem_free(is_in);
}

void
orders_add(struct execution_search *s, const u32_vec *order)
{
    uint64_t *place = mem_alloc(2 * s->o->n + 1, sizeof *place);
    s->stats.orders++;
    if (find_slots(s, place)) {
        share_slot(s);
        put_slots(s, place);
        formula_add_instance(&s->formula, place, false, s->o->is_serial);
    } else {
        put_order(s, order, place);
        formula_add_instance(&s->formula, place, false, false);
    }
    mem_free(place);
}
