/* meta.h -- what a recorded transaction sent, for people and for trials.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_META_H
#define RECORD_META_H

#include "record/assembly.h"

/* A JSON object: the statements with their parameters, how many rows each of
 * them found or changed, the isolation level, the
 * application's name at the end of the transaction, and the server's process.
 * Parameters are texts; one that is too long is {"bytes": its size}. */
const char *meta_of(const struct recorded_act *act, struct arena *arena);

#endif
