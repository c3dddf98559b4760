/* sarif_parts.h -- the parts of a SARIF log that all results share.
 *
 *     sarif_begin(version, out);   sarif_rule(...) for each rule
 *     sarif_begin_results(out);    sarif_begin_result(is_first, out) ...
 *     sarif_end(out);
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_SARIF_PARTS_H
#define REPORT_SARIF_PARTS_H

#include "base/json.h"

void sarif_begin(const char *version, struct buf *out);
void sarif_rule(const char *id, const char *title, const char *meaning,
                const char *level, struct buf *out);
void sarif_begin_results(struct buf *out);
void sarif_begin_result(bool is_first, struct buf *out);
void sarif_end(struct buf *out);

/* A member that is an object with a text: "message" and the like. */
void sarif_message(const char *name, const char *text, struct buf *out);

/* Begin a location: a file, and a line if it is not 0.  The caller ends the
 * object. */
void sarif_begin_location(const char *file, uint64_t line, struct buf *out);

/* Begin and end the steps of an execution, which are locations. */
void sarif_begin_flow(struct buf *out);
void sarif_end_flow(struct buf *out);

/* The last member of a result: the isolation level. */
void sarif_isolation(const char *level, struct buf *out);

#endif
