/* json_scan.h -- just enough of JSON to find a part of a text that is known to
 * be valid: metadata that a reader has accepted, rows that history_show_op
 * writes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_JSON_SCAN_H
#define EXPLAIN_JSON_SCAN_H

/* Behind white space, behind the string, behind the value at 'at'. */
const char *json_scan_blank(const char *at);
const char *json_scan_string(const char *at);
const char *json_scan_value(const char *at);

#endif
