/* proof.c -- see proof.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/proof.h"

#include "base/container/hash.h"

struct proof *
proof_new(void)
{
    return mem_calloc(1, sizeof(struct proof));
}

void
proof_free(struct proof *p)
{
    if (!p)
        return;
    vec_free(&p->facts);
    vec_free(&p->steps);
    vec_free(&p->edges);
    vec_free(&p->lits);
    for (size_t i = 0; i < p->cycles.n; i++) {
        vec_free(&p->cycles.at[i].edges);
        vec_free(&p->cycles.at[i].path);
    }
    vec_free(&p->cycles);
    mem_free(p->slots);
    mem_free(p);
}

static size_t
hash_fact(struct fact f)
{
    return hash_pair((uint64_t)f.a << 32 | f.b, f.kind);
}

static void
grow_slots(struct proof *p)
{
    mem_free(p->slots);
    p->slots_n = p->slots_n ? 2 * p->slots_n : 64;
    p->slots = mem_calloc(p->slots_n, sizeof *p->slots);
    for (uint32_t i = 0; i < p->facts.n; i++) {
        size_t at = hash_fact(p->facts.at[i]) & (p->slots_n - 1);
        while (p->slots[at])
            at = (at + 1) & (p->slots_n - 1);
        p->slots[at] = i + 1;
    }
}

static uint32_t
add_fact(struct proof *p, struct fact f)
{
    if (2 * p->facts.n >= p->slots_n)
        grow_slots(p);
    size_t at = hash_fact(f) & (p->slots_n - 1);
    for (; p->slots[at]; at = (at + 1) & (p->slots_n - 1)) {
        const struct fact *g = &p->facts.at[p->slots[at] - 1];
        if (g->kind == f.kind && g->a == f.a && g->b == f.b)
            return p->slots[at] - 1;
    }
    const uint32_t id = capacity_index(CAPACITY_FACTS, p->facts.n);
    assert(id < p->slots_n); // a free slot ends every search
    vec_push(&p->facts, f);
    p->slots[at] = id + 1;
    return id;
}

#define COPY(to, from)                                                         \
    do {                                                                       \
        vec_grow(to, (from)->n);                                               \
        if ((from)->n)                                                         \
            memcpy((to)->at, (from)->at, (from)->n * sizeof *(to)->at);        \
    } while (0)

struct proof *
proof_copy(const struct proof *p)
{
    struct proof *copy = proof_new();
    for (size_t i = 0; i < p->facts.n; i++)
        (void)add_fact(copy, p->facts.at[i]); // under the same numbers
    COPY(&copy->steps, &p->steps);
    COPY(&copy->edges, &p->edges);
    COPY(&copy->lits, &p->lits);
    for (size_t i = 0; i < p->cycles.n; i++) {
        struct cycle cycle = {0};
        COPY(&cycle.edges, &p->cycles.at[i].edges);
        COPY(&cycle.path, &p->cycles.at[i].path);
        vec_push(&copy->cycles, cycle);
    }
    assert(copy->facts.n == p->facts.n);
    return copy;
}

proof_lit
proof_before(struct proof *p, txn_id a, txn_id b)
{
    assert(a != b);
    return a < b ? 2 * add_fact(p, (struct fact){FACT_BEFORE, a, b})
                 : 2 * add_fact(p, (struct fact){FACT_BEFORE, b, a}) + 1;
}

proof_lit
proof_choice(struct proof *p, op_id read, txn_id writer)
{
    return 2 * add_fact(p, (struct fact){FACT_CHOICE, read, writer});
}

proof_lit
proof_ahead(struct proof *p, txn_id a, txn_id b)
{
    return 2 * add_fact(p, (struct fact){FACT_AHEAD, a, b});
}

proof_lit
proof_counts(struct proof *p, txn_id t)
{
    return 2 * add_fact(p, (struct fact){FACT_COUNTS, t, t});
}

static struct proof_step
new_step(enum proof_step_kind kind, size_t first, size_t end)
{
    capacity_want(CAPACITY_PROOF, end);
    assert(first <= end);
    return (struct proof_step){
        kind,    (uint32_t)first, (uint32_t)(end - first),
        ID_NONE, TXN_NONE,        TXN_NONE,
        0};
}

void
proof_add_choices(struct proof *p, op_id read)
{
    struct proof_step s = new_step(STEP_CHOICES, 0, 0);
    s.read = read;
    vec_push(&p->steps, s);
}

void
proof_add_counts(struct proof *p, op_id read, txn_id writer)
{
    struct proof_step s = new_step(STEP_COUNTS, 0, 0);
    s.read = read;
    s.writer = writer;
    vec_push(&p->steps, s);
}

void
proof_add_ahead(struct proof *p, op_id read, txn_id writer, txn_id other)
{
    struct proof_step s = new_step(STEP_AHEAD, 0, 0);
    s.read = read;
    s.writer = writer;
    s.other = other;
    vec_push(&p->steps, s);
}

void
proof_add_cycle(struct proof *p, size_t first)
{
    vec_push(&p->steps, new_step(STEP_CYCLE, first, p->edges.n));
}

void
proof_add_weak_cycle(struct proof *p, size_t first, uint32_t cycle)
{
    struct proof_step s = new_step(STEP_WEAK_CYCLE, first, p->lits.n);
    s.cycle = cycle;
    vec_push(&p->steps, s);
}

void
proof_add_learnt(struct proof *p, size_t first)
{
    vec_push(&p->steps, new_step(STEP_LEARNT, first, p->lits.n));
}
