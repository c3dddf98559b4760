/* certificate.c -- see certificate.h.
 *
 * SPDX-License-Identifier: MIT */
#include "evidence/certificate.h"

#include "evidence/proof.h"

void
cycle_free(struct cycle *c)
{
    vec_free(&c->edges);
    vec_free(&c->path);
}

void
certificate_free(struct certificate *c)
{
    vec_free(&c->order);
    vec_free(&c->choices);
    cycle_free(&c->cycle);
    proof_free(c->proof);
    vec_free(&c->seen);
    for (size_t i = 0; i < c->n_cases; i++)
        certificate_free(&c->cases[i]);
    mem_free(c->cases);
    *c = (struct certificate){.verdict = VERDICT_UNKNOWN};
}

size_t
authors_count(const struct history *h, size_t most)
{
    size_t n = 1;
    for (size_t i = 0; i < h->authors.n && n < most; i++)
        n *= h->authors.at[i].n;
    return n < most ? n : most;
}

void
authors_begin(const struct history *h, u32_vec *seen)
{
    vec_clear(seen);
    for (size_t i = 0; i < h->authors.n; i++)
        vec_push(seen, h->author_items.at[h->authors.at[i].first]);
}

bool
authors_next(const struct history *h, u32_vec *seen)
{
    assert(seen->n == h->authors.n);
    for (size_t i = h->authors.n; i-- > 0;) {
        const struct list_author *a = &h->authors.at[i];
        const txn_id *items = h->author_items.at + a->first;
        uint32_t at = 0;
        while (items[at] != seen->at[i])
            at++;
        seen->at[i] = items[at + 1 < a->n ? at + 1 : 0];
        if (at + 1 < a->n)
            return true;
    }
    return false;
}
