/* random.c -- see random.h.
 *
 * xoshiro256** by Blackman and Vigna; the zipf sampler is rejection-inversion
 * for monotone discrete distributions by Hormann and Derflinger (1996).
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"

#include <math.h>

static uint64_t
rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

void
random_seed(struct random *r, uint64_t seed)
{
    // splitmix64 spreads a small seed over the state.
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        r->s[i] = z ^ z >> 31;
    }
}

uint64_t
random_next(struct random *r)
{
    uint64_t *s = r->s;
    const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t
random_below(struct random *r, uint64_t n)
{
    const uint64_t reject = -n % n; // 2^64 mod n: keeps the rest uniform
    uint64_t x;
    do
        x = random_next(r);
    while (x < reject);
    return x % n;
}

double
random_unit(struct random *r)
{
    return (double)(random_next(r) >> 11) * 0x1p-53;
}

/* The integral of x^-theta, and its inverse; theta = 1 is the logarithm. */
static double
integral(const struct zipf *z, double x)
{
    return fabs(z->theta - 1) < 1e-12
               ? log(x)
               : (pow(x, 1 - z->theta) - 1) / (1 - z->theta);
}

static double
inverse(const struct zipf *z, double y)
{
    return fabs(z->theta - 1) < 1e-12
               ? exp(y)
               : pow(1 + y * (1 - z->theta), 1 / (1 - z->theta));
}

void
zipf_init(struct zipf *z, uint64_t n, double theta)
{
    z->theta = theta;
    z->n = (double)n;
    z->integral_1 = integral(z, 1.5) - 1;
    z->integral_n = integral(z, z->n + 0.5);
    z->s = 2 - inverse(z, integral(z, 2.5) - pow(2, -theta));
}

uint64_t
zipf_next(const struct zipf *z, struct random *r)
{
    for (;;) {
        const double u =
            z->integral_n + random_unit(r) * (z->integral_1 - z->integral_n);
        const double x = inverse(z, u);
        double k = floor(x + 0.5);
        k = k < 1 ? 1 : k > z->n ? z->n : k;
        if (k - x <= z->s || u >= integral(z, k + 0.5) - pow(k, -z->theta))
            return (uint64_t)k - 1;
    }
}
