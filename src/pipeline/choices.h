/* choices.h -- the words that an option takes, from the tables that own them.
 *
 * Help, completions and error messages list these words, so a new level,
 * format, workload or server appears in all of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_CHOICES_H
#define PIPELINE_CHOICES_H

#include "base/buf.h"
#include "base/err.h"

/* Append the words, separated by spaces. */
typedef void choices(struct buf *out);

choices choices_levels;         // of check, test, report
choices choices_gen_levels;     // that gen can make
choices choices_predict_levels; // that predict takes
choices choices_prove_levels;   // that prove takes
choices choices_formats;        // that can be read, and auto
choices choices_written_formats;
choices choices_reports;         // formats of results
choices choices_predict_reports; // those that can show a prediction
choices choices_prove_reports;   // those that can show programs
choices choices_workloads;       // applications, too
choices choices_apps;
choices choices_distributions;
choices choices_orders;    // of the transactions that gen makes
choices choices_anomalies; // that gen can inject
choices choices_isolations;
choices choices_servers;
choices choices_boundaries; // of predict
choices choices_databases;  // of predict --on
choices choices_clients;    // of predict
choices choices_lists;      // how lists are kept in a database
choices choices_indexes;
choices choices_accesses;  // how a row is found
choices choices_features;  // what transactions on rows use
choices choices_recorders; // of statements of users
choices choices_solvers;
choices choices_strategies; // that --without switches off
choices choices_targets;    // of test and collect

/* Append a word, after a space if it is not the first. */
void choices_add(struct buf *out, const char *word);

/* Fail with "--lists is text or arrays, not 'x'". */
bool choices_error(const char *option, choices *words, const char *found,
                   struct err *err);

#endif
