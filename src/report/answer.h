/* answer.h -- what people who test a database need to know at the end:
 * which levels it gave, what that means for an application, and what to do.
 *
 * There is an answer where all levels were checked, and where a database was
 * tested.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_ANSWER_H
#define REPORT_ANSWER_H

#include "report/report.h"

bool answer_applies(const struct report_run *run);

/* What is known about a level: its verdict, that of the levels that were not
 * asked for, or one that follows from the others; -1: nothing. */
int answer_verdict(const struct report_run *run, enum level level);

/* Append one sentence without a full stop: "PostgreSQL 15.18, REPEATABLE READ:
 * snapshot isolation held, serializability did not". */
void answer_sentence(const struct report_run *run, struct buf *out);

/* Append whether the manual of the database documents what was found, or
 * contradicts it, without a full stop; false if that is not known. */
bool answer_promise(const struct report_run *run, struct buf *out);

/* Append the answer for a terminal, as Markdown, as elements of a page, and as
 * the member "answer" of a JSON object. */
void answer_text(const struct report_run *run, const struct report_style *s,
                 struct buf *out);
void answer_markdown(const struct report_run *run, struct buf *out);
void answer_html(const struct report_run *run, struct buf *out);
void answer_json(const struct report_run *run, struct buf *out);

#endif
