/* quiet.h -- statements that read no row of a table.
 *
 * Commands that define objects are among them, unless they check the rows that
 * are there.  The tag that the server answers decides, and of commands whose
 * tag says too little the words of the text: any doubt means that rows may be
 * read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_QUIET_H
#define RECORD_QUIET_H

#include "record/transcript.h"

bool quiet_run(const struct recorded_run *r);

#endif
