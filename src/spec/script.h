/* script.h -- a specification whose statements are understood, or refused.
 *
 * The setup, and the setup of each session, belong to every interleaving.  If
 * one of their statements is refused, all interleavings are.  If a statement of
 * a step is refused, so are the interleavings with that step.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SCRIPT_H
#define SPEC_SCRIPT_H

#include "spec/spec.h"
#include "spec/sql/statement.h"

/* The statements of a block, up to the first that is refused. */
struct script_block {
    VEC(struct spec_statement) statements;
    uint32_t refusal; // an index of the script's, or SCRIPT_UNDERSTOOD
};

#define SCRIPT_UNDERSTOOD UINT32_MAX

struct script_refusal {
    uint64_t line, column;
    const char *text;
    bool is_reported; // to the user
};

/* A prepared statement, which all sessions have to prepare in the same way. */
struct script_prepared {
    const char *name, *text;
};

struct script {
    const struct spec *spec; // borrowed
    const struct flavour *flavour;
    table_vec tables;
    const struct watched *watched;   // borrowed; NULL: registers are recorded
    VEC(struct script_block) setups; // of the sessions
    VEC(struct script_block) steps;
    VEC(struct script_refusal) refusals;
    uint32_t refusal; // of all interleavings, or SCRIPT_UNDERSTOOD
    struct arena arena;
    VEC(struct script_prepared) prepared;
};

/* Understand the statements of a specification.  Without tables that are
 * watched, the setup says which there are. */
void script_read(const struct spec *s, const struct flavour *flavour,
                 const struct watched *watched, struct script *out);
void script_free(struct script *s);

/* The same for statements that are sent as they are: nothing is refused. */
void script_read_verbatim(const struct spec *s, const struct flavour *flavour,
                          const struct watched *watched, struct script *out);

/* All SQL of a specification. */
void script_put_text(const struct spec *s, struct buf *out);

/* The refusal of an interleaving, or SCRIPT_UNDERSTOOD. */
uint32_t script_refuses(const struct script *s, const u32_vec *order);

/* The same as an error, "file:line:column: not understood, ..."; return
 * false. */
bool script_error(const struct script *s, uint32_t refusal, struct err *err);

/* The first statement of an interleaving that is recorded in part and was not
 * reported yet, as an error "file:line:column: ..."; false if there is none. */
bool script_takes_part(struct script *s, const u32_vec *order, struct err *err);

/* Understand one statement by PostgreSQL's own parser; false, with p's refusal
 * set, if it is refused. */
bool script_statement(const struct watched *w, struct parser *p,
                      struct spec_statement *out);

/* Split a text into its statements, for databases that take one at a time. */
void script_split(const char *sql, const struct flavour *flavour,
                  struct arena *arena, text_vec *out);

#endif
