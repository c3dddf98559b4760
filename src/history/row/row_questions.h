/* row_questions.h -- what reads ask about rows, and what each version answers.
 *
 * There are three kinds of questions: which version is it, does a condition
 * hold, and what are the values of these columns, perhaps only where a
 * condition holds.  An answer is a text (a number of row_log.names), or one of
 * the two below.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_QUESTIONS_H
#define HISTORY_ROW_ROW_QUESTIONS_H

#include "base/container/intmap.h"
#include "history/row/row_log.h"
#include "history/row/row_named.h"

#define ANSWERS (UINT32_MAX - 2)       // texts are below
#define ANSWER_ABSENT (UINT32_MAX - 2) // there is no row
#define ANSWER_NONE (UINT32_MAX - 1)   // the condition does not hold

enum row_question_kind {
    ROW_QUESTION_IS_VERSION,
    ROW_QUESTION_COLUMNS,
    ROW_QUESTION_CONDITION
};

#define ROW_QUESTION_VERSION 0u // the first question is which version it is

struct row_question {
    enum row_question_kind kind;
    uint32_t columns, columns_n; // row_questions.columns
    bool with_ver;               // and the name of the version
    uint32_t only;               // the question of the condition that has to
                                 // hold, or ID_NONE
    uint32_t table, condition;
    uint32_t matched, matched_n; // row_questions.matched: rows with a version
                                 // for which the condition holds
};

/* A question that was asked about a row. */
struct row_asked {
    uint32_t question;
    uint32_t next;    // of the same row; ID_NONE at the end
    uint32_t answers; // row_questions.answers: one a version
    bool is_needed;   // it has a register
};

/* The versions that give an answer. */
struct row_served {
    uint32_t version; // one of them, as the answer of ROW_QUESTION_VERSION
    bool has_several; // that differ
};

struct row_questions {
    struct row_log *l;
    uint32_t *first;   // by row: its versions; the initial one is the first
    u32_vec versions;  // contents
    u32_vec answers;   // first of ROW_QUESTION_VERSION, then those of others
    uint8_t *has_ver;  // by row: its versions have names
    uint8_t *returned; // by row; for the caller
    VEC(struct row_question) questions;
    u32_vec columns;
    u32_vec matched;
    struct row_named named;
    struct strings column_questions; // text -> number; see 'by_columns'
    u32_vec by_columns;
    struct intmap by_condition; // of table and condition
    VEC(struct row_asked) asked;
    u32_vec first_asked;        // by row
    struct intmap by_row;       // of row and question
    struct intmap served_index; // of asked and answer
    VEC(struct row_served) served;
    struct intmap pairs;         // of a question and a condition asked
    struct intmap matches_index; // of a pair and an answer: in 'matches'
    VEC(uint8_t) matches;        // enum row_matches
};

/* Of the versions that fit a read, those for which a condition holds. */
enum row_matches {
    ROW_FITS_NONE = 0, // there is no version that fits
    ROW_MATCHES_NONE = 1,
    ROW_MATCHES_ALL = 2,
    ROW_MATCHES_SOME = ROW_MATCHES_NONE | ROW_MATCHES_ALL
};

/* List the versions.  *at is the place of a mistake in the input. */
bool row_questions_init(struct row_questions *q, struct row_log *l,
                        const char **at, struct err *err);
void row_questions_free(struct row_questions *q);

/* What a read of a row asks, and the answer that it got. */
bool row_questions_of_read(struct row_questions *q, row_id row,
                           uint32_t content, uint32_t *question,
                           uint32_t *answer, struct err *err);

/* What a query asks of each row of its table. */
bool row_questions_of_query(struct row_questions *q, const struct row_query *r,
                            uint32_t *question, struct err *err);

/* From which register a read is served: ID_NONE for that of the row itself.
 * *value is what it reads there. */
uint32_t row_questions_ask(struct row_questions *q, row_id row,
                           uint32_t question, uint32_t answer, uint32_t *value);

/* Whether a content, of a version or of a read, satisfies a condition.  *known
 * is false where it does not have the columns to decide. */
bool row_questions_holds(const struct row_questions *q, uint32_t table,
                         uint32_t condition, uint32_t content, bool *known,
                         bool *out, struct err *err);

/* Of the versions of a row that give this answer, those for which a condition
 * holds; 'condition' is the question of row_questions_of_query. */
enum row_matches row_questions_matches(struct row_questions *q, row_id row,
                                       uint32_t condition, uint32_t question,
                                       uint32_t answer);

/* What a read of a row asks that a query returned: the same as one of the row,
 * of the versions for which the condition holds. */
uint32_t row_questions_of_returned(struct row_questions *q, uint32_t content,
                                   uint32_t condition);

/* The i-th version of a row, as the answer of ROW_QUESTION_VERSION. */
static inline uint32_t
row_questions_version(const struct row_questions *q, row_id row, uint32_t i)
{
    assert(q->first[row] + i < q->first[row + 1]);
    return q->answers.at[q->first[row] + i];
}

/* The answer after the i-th version of the row. */
static inline uint32_t
row_questions_answer(const struct row_questions *q, uint32_t asked, uint32_t i)
{
    return q->answers.at[q->asked.at[asked].answers + i];
}

void row_questions_show(const struct row_questions *q, uint32_t question,
                        struct buf *out);
void row_questions_show_answer(const struct row_questions *q, uint32_t answer,
                               struct buf *out);

#endif
