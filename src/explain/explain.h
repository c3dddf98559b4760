/* explain.h -- from a violation to something a person understands.
 *
 * A violation found in a million transactions is reduced to the few that are
 * involved, given its name, and explained in sentences that end in a
 * contradiction. An anomaly is complete in itself: every text in it is in the
 * input's own words, so that showing it (report/) needs no history.
 *
 * Two kinds of text.  Those called 'id' are the input's bytes, for machines
 * and for code that escapes for its own medium.  All others are for people:
 * valid UTF-8 in which nothing can harm a terminal.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "base/memory/arena.h"
#include "check/check.h"
#include "explain/anomaly_kinds.h"

#define ANOMALY_NONE UINT32_MAX

struct anomaly_op {
    const char *text;  // "r(x, 5)"
    const char *key;   // "x"
    const char *brief; // of a row, in few words (narrate_brief.h); or NULL
    bool is_write;
    bool matters;    // the anomaly is about it
    bool is_changed; // predicted: it was observed to read something else
};

/* A statement of a transaction; what is not known is "". */
struct anomaly_statement {
    const char *place; // "book.sql:6"
    const char *text;  // SQL
};

/* A transaction of an anomaly, or of its neighbourhood. */
struct anomaly_txn {
    const char *id;      // as in the input, else session and position
    const char *name;    // the same, for people
    const char *session; // "" for init
    uint32_t position;   // in its session, from 1; 0 for init
    uint64_t line;       // in the input, from 1; 0: not known
    bool is_init;        // stands for the initial state
    bool is_context;     // no part of the anomaly, only near it
    enum txn_status status;
    bool has_times;
    int64_t began, ended;
    const char *meta;  // a JSON object of the user's, or NULL
    const char *place; // its script or endpoint (place.h), "book.sql"; or ""
    const char *lines; // the same with lines, "book.sql:3,6"; or ""
    struct anomaly_statement *statements; // of operations that matter; of all,
    size_t n_statements;                  // if it is not known which do
    struct anomaly_op *ops;
    size_t n_ops;
    size_t elided; // operations that are not listed
};

/* A dependency between transactions, which are indices into 'txns'. */
struct anomaly_edge {
    uint32_t from, to;
    uint32_t from_op, to_op; // indices into their 'ops', or ANOMALY_NONE
    enum edge_kind kind;     // SO, WR, WW, RW or TIME
    const char *key;         // NULL for SO and TIME
    const char *key_id;      // the same as in the input
    const char *brief_key;   // of a row; or NULL
    bool inferred;           // not written in the history: there is a reason
    bool on_cycle;           // in 'cycle'
    const char *reason;      // a sentence: why the edge is there
    const char *rejected;    // why not the other way round; NULL: certain
};

/* One numbered sentence.  Cases of a distinction are one deeper. */
struct anomaly_step {
    const char *text;
    uint32_t depth;
    uint32_t edge; // the one it establishes, or ANOMALY_NONE
};

struct anomaly {
    enum anomaly_kind kind;
    const char *headline;       // "lost update on key 4, 3 transactions"
    const char *places;         // "book.sql and pay.sql", "book.sql (twice)":
                                // of the involved transactions; or ""
    const char *place_names;    // the same without numbers
    const char *story;          // what happened, in a sentence or two
    const char *edges_in_words; // "rw rw": the kinds of the cycle; or ""
    const char *also;           // Elle's name in full: "G-single-process"
    enum level level;           // the level that was checked
    level_set violated;         // of rc .. ser and the level checked
    level_set holds;            // of the same; neither: not decided in time
    VEC(struct anomaly_txn)
    txns; // the involved ones first, then the context;
          // of very many involved ones the first
    VEC(struct anomaly_edge) edges;
    u32_vec cycle; // edges, each ending where the next begins; may be empty
    VEC(struct anomaly_step) steps;
    bool is_recording;      // times are nanoseconds
    int64_t zero;           // when the recording began
    size_t involved;        // how many transactions, init not counted
    bool unfinished;        // not known whether fewer suffice
    struct history reduced; // the same, an ordinary history
    struct arena arena;     // of all texts
};

struct explanation {
    enum level level;
    VEC(struct anomaly) anomalies; // simplest first
    size_t more;            // inconsistent reads found beyond those shown
    bool capped;            // as many as were asked for: there may be more
    bool cut_short;         // more anomalies were not looked for
    struct limit_stop stop; // why there are none, where a limit was
};

struct explain_options {
    size_t most; // anomalies
    // The steps of a budget it may take, and as many again as the check did:
    // then what has been found is shown as it is.
    uint64_t work;
    size_t context; // neighbouring transactions to show at most
    unsigned threads;
    struct strong_options strong;
};

/* Explain why h violates r->level.
 *
 *   require  r is a violated result of checking h, and of c
 *   ensure   at least one anomaly, whose reduced history violates the level
 *            and, unless it is unfinished, holds it as soon as any transaction
 *            is taken out (reduce.h) */
bool explain_result(const struct history *h, const struct check *c,
                    const struct level_result *r,
                    const struct explain_options *o, struct explanation *out,
                    struct err *err);

void explanation_free(struct explanation *e);

#endif
