/* verify_rows.h -- that the registers of a history are what was recorded about
 * its rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ROWS_VERIFY_ROWS_H
#define VERIFY_ROWS_VERIFY_ROWS_H

#include "history/history.h"

/* Go through the record of every transaction and its operations side by side,
 * and evaluate every condition again (naive_condition.h):
 *
 *   - a write of a row writes all registers of the row, each with what the
 *     version answers to its question;
 *   - a read of a row reads a value that exactly those versions have which fit
 *     what the read saw;
 *   - a query is a read of each row that it returned and then, of each other
 *     row of the table of which some version matches, a read of a value that
 *     exactly the versions have which do not match.
 *
 * True where the history has no rows. */
bool verify_rows(const struct history *h, struct err *err);

#endif
