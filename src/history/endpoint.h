/* endpoint.h -- the part of an application that a transaction belongs to.
 *
 * Applications name it in a comment of their statements, as sqlcommenter does
 * (route='...', or controller='...' and action='...'), or as the name of the
 * connection (application_name).  Recorders keep both in the metadata of a
 * transaction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ENDPOINT_H
#define HISTORY_ENDPOINT_H

#include "history/history.h"

/* Append the endpoint of t; false if nothing names it. */
bool endpoint_of(const struct history *h, txn_id t, struct buf *out);

#endif
