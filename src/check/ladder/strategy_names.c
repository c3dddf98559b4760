/* strategy_names.c -- strategies and techniques by their names; see
 * strategies.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/ladder/strategies.h"

#include <string.h>

uint64_t
strategy_bit(const char *name)
{
    for (size_t i = 0; i < strategy_count; i++)
        if (strcmp(strategy_table[i].name, name) == 0)
            return UINT64_C(1) << i; // its first row
    return 0;
}

static bool
switch_off(const char *name, struct strong_options *o, struct err *err)
{
    for (size_t i = 0; i < technique_count; i++)
        if (strcmp(technique_table[i].name, name) == 0) {
            *(bool *)((char *)o + technique_table[i].offset) = false;
            return true;
        }
    for (size_t i = 0; i < strategy_count; i++)
        if (strcmp(strategy_table[i].name, name) == 0) {
            o->without |= strategy_bit(name);
            return !strategy_table[i].vital ||
                   err_set(err, ERR_USAGE,
                           "--without %s: no level would be decided", name);
        }
    return err_set(err, ERR_USAGE,
                   "--without %s: there is no such strategy; see 'assay check "
                   "--help-solver'",
                   name);
}

bool
strategy_switch_off(const char *names, struct strong_options *o,
                    struct err *err)
{
    char name[64];
    for (;;) {
        const size_t n = strcspn(names, ",");
        const size_t kept = n < sizeof name ? n : sizeof name - 1;
        memcpy(name, names, kept);
        name[kept] = 0;
        if (!switch_off(name, o, err))
            return false;
        if (!names[n])
            return true;
        names += n + 1;
    }
}
