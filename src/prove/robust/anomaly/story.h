/* story.h -- an anomaly step by step, told as text, as JSON, and as a script
 * that PostgreSQL can play.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_ANOMALY_STORY_H
#define PROVE_ROBUST_ANOMALY_STORY_H

#include "base/buf.h"
#include "prove/robust/anomaly/dependency.h"
#include "prove/robust/search/search.h"

enum story_step_kind {
    STORY_SNAPSHOT, // the member begins, and takes its snapshot
    STORY_STATEMENT,
    STORY_WAIT, // a statement that has to wait until the next commit
    STORY_COMMIT,
};

struct story_step {
    enum story_step_kind kind;
    uint32_t member;
    uint32_t line;
    const char *sql;
    const char *seen;                  // what it showed; "" where nothing
    const struct statement *statement; // NULL: none that reads or writes
};

/* "T1 reads account (1) in line 11, which T2 writes in line 15." */
struct story_edge {
    uint32_t from, to; // members
    uint32_t read_line, write_line;
    const char *what;
};

/* What would be different in a serial order. */
struct story_order {
    uint32_t order[INTERLEAVING_MOST];
    const char *why;
};

struct story {
    const struct finding *finding;
    VEC(struct story_step) steps;
    VEC(struct story_edge) edges;
    // Where a cycle is enough: the dependencies, and whether a serial order
    // gives everybody the same, and which.
    struct dependency cycle[INTERLEAVING_MOST];
    uint32_t n_cycle;
    bool is_hidden;
    uint32_t same[INTERLEAVING_MOST];
    VEC(struct story_order) orders; // at most STORY_ORDERS
    uint32_t orders_more;           // that are not told
    struct arena arena;
};

enum { STORY_ORDERS = 6 };

/* Tell what a finding is; to be freed.  The finding stays in use. */
void story_init(struct story *s, const struct finding *f);
void story_free(struct story *s);

/* Whether two stories are about the same functions, and reads and writes in the
 * same lines. */
bool story_same(const struct story *a, const struct story *b);

void story_text(const struct story *s, struct buf *out);
void story_json(const struct story *s, struct buf *out);

/* A script in the language of PostgreSQL's isolation tester; at levels that it
 * has, and for MariaDB at InnoDB's. */
void story_script(const struct story *s, struct buf *out);

/* Private to story*.c: add what one read and another changed without its
 * seeing that; keep a text as long as the story, and free it. */
void story_find_edges(struct story *s);
char *story_keep(struct story *s, struct buf *text);

#endif
