/* integrity.h -- ask a database at the end of a run whether its data are whole.
 *
 * A damaged index returns other rows than a scan, and no transaction of the run
 * need have used it.  So the server's own check is run on the tables of the
 * run, and a scan is compared with a search by the primary key.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_INTEGRITY_H
#define COLLECT_INTEGRITY_H

#include "collect/findings.h"

/* Check the tables that the run has made, while no session runs.  A check that
 * the server does not have, or refuses to this user, is left out. */
void integrity_check(struct database *db, struct run_findings *out);

#endif
