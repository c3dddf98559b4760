/* anomaly.c -- see anomaly.h.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/anomaly.h"

#include <string.h>

// clang-format off
const struct gen_anomaly gen_anomalies[] = {
    {"thin-air-read",              LEVEL_READS, "A rx9"},
    {"aborted-read",               LEVEL_READS, "A! wx1; B rx1"},
    {"future-read",                LEVEL_READS, "A rx1 wx1"},
    {"not-own-write",              LEVEL_READS, "A wx1; B wx2 rx1"},
    {"not-latest-write",           LEVEL_READS, "A wx1 wx2; B rx1"},
    {"circular-information-flow",  LEVEL_RC,    "A wx1 ry2; B wy2 rx1"},
    {"fractured-read",             LEVEL_RC,    "A wx1; A wx2 wy2; B ry2 rx1"},
    {"non-repeatable-read",        LEVEL_RA,    "A wx1; B rx0 rx1"},
    {"phantom-read",               LEVEL_RA,    "A wx1; B q qx1"},
    {"read-skew",                  LEVEL_RA,    "A wx1 wy1; B ry0 rx1"},
    {"read-your-writes-violation", LEVEL_RA,    "A wx1; A rx0"},
    {"non-monotonic-read",         LEVEL_CC,    "A wx1; B rx1; B rx0"},
    {"monotonic-write-violation",  LEVEL_CC,    "A wx1; A wy1; B ry1 rx0"},
    {"causality-violation",        LEVEL_CC,    "A wx1; B rx1 wy1; C ry1 rx0"},
    {"long-fork",                  LEVEL_PC,    "A wx1; B wy1; C rx1 ry0; D rx0 ry1"},
    {"lost-update",                LEVEL_PSI,   "A rx0 wx1; B rx0 wx2"},
    {"write-skew",                 LEVEL_SER,   "A rx0 ry0 wx1; B rx0 ry0 wy1"},
    {"phantom",                    LEVEL_SER,   "A q wx1; B q wy1"},
    {"read-only-anomaly",          LEVEL_SER,   "A ry0 wy1; B rx0 ry0 wx2; C rx0 ry1"},
    {0},
};
// clang-format on

const struct gen_anomaly *
gen_anomaly_find(const char *name)
{
    for (const struct gen_anomaly *a = gen_anomalies; a->name; a++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

bool
gen_anomaly_needs_rows(const struct gen_anomaly *a)
{
    return strchr(a->script, 'q');
}

unsigned
gen_anomaly_sessions(const struct gen_anomaly *a)
{
    unsigned most = 0;
    for (const char *p = a->script; *p; p++)
        if (*p >= 'A' && *p <= 'Z' && (unsigned)(*p - 'A' + 1) > most)
            most = (unsigned)(*p - 'A' + 1);
    return most;
}
