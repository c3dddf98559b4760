/* builder_ahead.h -- work for a builder on other threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_BUILDER_BUILDER_AHEAD_H
#define HISTORY_BUILDER_BUILDER_AHEAD_H

#include "history/builder/builder_internal.h"

/* Publish to the threads that work ahead how far the arrays are filled.  Called
 * by the thread that adds operations. */
void builder_ahead_publish(struct builder *b);

#endif
