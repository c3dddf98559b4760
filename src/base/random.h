/* random.h -- repeatable random numbers: xoshiro256** and a zipf sampler.
 *
 * Every random choice of the program comes from a seed that the user can give,
 * so that every run can be repeated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t s[4];
};

void random_seed(struct random *r, uint64_t seed);
uint64_t random_next(struct random *r);

/* Uniform in 0..n-1; n > 0. */
uint64_t random_below(struct random *r, uint64_t n);

/* Uniform in [0, 1). */
double random_unit(struct random *r);

/* Zipf over 0..n-1: the probability of i is proportional to 1/(i+1)^theta.
 * Sampling is exact rejection-inversion, O(1) whatever n is; theta >= 0. */
struct zipf {
    double theta, n, integral_1, integral_n, s;
};

void zipf_init(struct zipf *z, uint64_t n, double theta);
uint64_t zipf_next(const struct zipf *z, struct random *r);

#endif
