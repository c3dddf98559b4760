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
    vec_free(&c->branches);
    *c = (struct certificate){.verdict = VERDICT_UNKNOWN};
}
