/* origin.h -- how a history came about, where this program recorded it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

/* Texts are borrowed and may hold any bytes. */
struct report_origin {
    const char *database;  // "PostgreSQL 15.18", or the target
    const char *isolation; // as in SQL, "repeatable read"; "": the default
};

#endif
