/* describe.h -- what a database says about itself: the isolation level that a
 * session has, and the settings that a report should name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_DESCRIBE_H
#define DRIVER_DESCRIBE_H

#include "driver/driver.h"

struct database_facts {
    struct buf isolation; // as the server calls it; empty: it does not say
    struct buf settings;  // "fsync = on", a line each
};

/* Ask on a connection of its own.  What cannot be found out stays empty. */
void database_describe(struct database *db, struct database_facts *out);
void database_facts_free(struct database_facts *f);

#endif
