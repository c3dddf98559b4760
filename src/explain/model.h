/* model.h -- the dependencies of a small history, and what is open about them.
 *
 * Every level here forbids certain cycles of dependencies between transactions
 * (so, wr, ww, rw, time).  Which dependencies there are is partly open: which
 * of two writers of a key came first, and which writer an ambiguous read saw.
 * Each of these is a question with answers.  A dependency needs up to two
 * answers; it is there when they are the ones taken.  A level is violated when
 * every way to answer all questions closes a forbidden cycle.
 *
 * Of a transaction that may count it is open whether it took effect.  Only then
 * does it precede those after it in its session, and only then is there a
 * question from which its reads came; and a transaction that was seen took
 * effect.  One that did not is thought to come after all others, so orders hold
 * for it, too.
 *
 * The initial state is before everything by definition, so it is no node: a
 * read from it is an rw to every other writer of the key.
 *
 * Answers are numbered through; those of a question are consecutive.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_MODEL_H
#define EXPLAIN_MODEL_H

#include "evidence/certificate.h"

typedef uint32_t answer_id;

enum question_kind {
    QUESTION_ORDER,  // two writers: the first answer is a before b
    QUESTION_WRITER, // which candidate 'read' saw
    QUESTION_EFFECT, // a: the first answer is that it took effect
};

struct question {
    enum question_kind kind;
    txn_id a, b;     // ORDER; the reader a, WRITER; EFFECT: a
    op_id read;      // WRITER
    answer_id guard; // it is a question only with this answer; or ID_NONE
    answer_id first;
    uint32_t n;
    uint32_t left; // answers that are not eliminated
};

struct model_answer {
    uint32_t question;
    txn_id writer;     // WRITER: the candidate; ORDER: the one that comes first
    answer_id implies; // another answer, or ID_NONE
    bool eliminated;
};

struct dep {
    enum edge_kind kind; // SO, TIME, WR, WW, RW
    txn_id from, to;
    key_id key;
    op_id read;         // WR: of 'to'; RW: of 'from'
    txn_id writer;      // RW: the writer that 'from' read from
    answer_id needs[2]; // ID_NONE where nothing is needed
};

struct model {
    const struct history *h;
    enum level level;
    VEC(struct dep) deps;
    VEC(struct question) questions;
    VEC(struct model_answer) answers;
};

typedef VEC(struct dep) dep_vec;

/* A history of more operations than this is not small. */
enum { MODEL_MOST_OPS = 2000, MODEL_MOST_TXNS = 64 };

void model_init(struct model *m, const struct history *h, enum level level);
void model_free(struct model *m);

static inline const struct question *
model_question(const struct model *m, answer_id a)
{
    return &m->questions.at[m->answers.at[a].question];
}

/* Whether the answer is the only one left to its question, which is one. */
static inline bool
model_is_taken(const struct model *m, answer_id a)
{
    const struct question *q = model_question(m, a);
    return !m->answers.at[a].eliminated && q->left == 1 &&
           (q->guard == ID_NONE || (!m->answers.at[q->guard].eliminated &&
                                    model_question(m, q->guard)->left == 1));
}

void model_strike(struct model *m, answer_id a);
void model_restore(struct model *m, answer_id a);

#endif
