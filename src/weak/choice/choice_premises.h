/* choice_premises.h -- the choices that a cycle depends on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_CHOICE_PREMISES_H
#define WEAK_CHOICE_CHOICE_PREMISES_H

#include "weak/choice/choice_solver.h"

/* Append the choices that a cycle of the present assignment depends on: reads
 * with several candidates that its edges or their reasons use, or by which its
 * transactions count, each once. */
void choice_premises_find(const struct choice_solver *c,
                          const struct cycle *cycle, choice_vec *out);

#endif
