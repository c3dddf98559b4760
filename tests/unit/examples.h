/* examples.h -- the programs in examples/programs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_EXAMPLES_H
#define TEST_EXAMPLES_H

static const char *const example_programs[] = {
    "bank",
    "bank_skew",
    "blocked_update",
    "close_month",
    "counts",
    "courseware",
    "early_return",
    "increment",
    "job_queue",
    "nulls",
    "on_call",
    "orphans",
    "orphans_referenced",
    "payday",
    "refuse_raise",
    "refuse_return",
    "replace_row",
    "rubis",
    "set_value",
    "smallbank",
    "smallbank_locked",
    "smallbank_updates",
    "tickets",
    "tpcc",
    "tpcc_updates",
    "transfer",
    "transfer_locked",
    "twitter",
    "upsert",
    "user_names",
    "user_names_unique",
    "voter",
    "wikipedia",
    "tpcc_multi", // last: its anomaly is found with a given sequence only
};
enum { N_EXAMPLES = sizeof example_programs / sizeof *example_programs };

#endif
