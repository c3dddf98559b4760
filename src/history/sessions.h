/* sessions.h -- ignoring session order, and sessions that claim too much.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_SESSIONS_H
#define HISTORY_SESSIONS_H

#include "history/history.h"

/* Make every transaction of a resolved history a separate session.
 * Transactions keep their ids and the names that they are shown by.  The result
 * of resolution stays: which transactions recorded the initial values depends
 * on the sessions as recorded. */
void history_ignore_sessions(struct history *h);

/* Whether a session continues after a write of unknown outcome, with a
 * transaction that may count: the commit may take effect after it. */
bool history_goes_on_after_unknown(const struct history *h, session_id s);

#endif
