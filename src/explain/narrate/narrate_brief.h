/* narrate_brief.h -- operations on rows in few words, for pictures.
 *
 * A row has many columns, and a picture has room for thirty letters: the key as
 * doctor(1,2), and only the columns in which the versions of this row differ
 * within the anomaly.  The text in full is never far: in the list of operations
 * and in the title of the picture's text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_BRIEF_H
#define EXPLAIN_NARRATE_NARRATE_BRIEF_H

#include "explain/explain.h"

/* Fill 'brief' of all operations and 'brief_key' of all edges. */
void narrate_brief(struct anomaly *a);

#endif
