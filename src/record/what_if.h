/* what_if.h -- the rows that statements did not find.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_WHAT_IF_H
#define RECORD_WHAT_IF_H

#include "record/assembly.h"

/* Find out which rows that a statement did not find matter to it.  Statements
 * for which that is known have 'may_miss' off afterwards. */
bool what_if(struct assembly *a, struct err *err);

#endif
