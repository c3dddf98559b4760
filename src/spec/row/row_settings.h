/* row_settings.h -- settings of sessions on which the meaning of statements
 * depends.
 *
 * Conditions are evaluated after the run, by one connection.  They must mean
 * there what they meant in each session.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_SETTINGS_H
#define SPEC_ROW_ROW_SETTINGS_H

#include "driver/driver.h"

/* Fail if the sessions of a database, which may be set up in turn (--setup), do
 * not agree on such a setting, or if one has a value with which statements
 * cannot be recorded. */
bool row_settings_expect(struct database *db, struct err *err);

#endif
