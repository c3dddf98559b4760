/* endpoint.h -- the part of an application that a transaction belongs to.
 *
 * Applications name it in a comment of their statements, as sqlcommenter does
 * (route='...', or controller='...' and action='...'), or as the name of the
 * connection (application_name).  A name that all connections share says
 * nothing.  Without any, it is the shape of the transaction: "select account +
 * update account".  Recorders keep all of this in the metadata of a
 * transaction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ENDPOINT_H
#define HISTORY_ENDPOINT_H

#include "history/history.h"

/* Whether transactions of h have different application names. */
bool endpoint_has_applications(const struct history *h);

/* Append the endpoint of t; false if nothing names it. */
bool endpoint_of(const struct history *h, txn_id t, struct buf *out);

/* The same, or the shape of t; false if its metadata has no statements. */
bool endpoint_or_shape(const struct history *h, txn_id t, bool has_applications,
                       struct buf *out);

#endif
