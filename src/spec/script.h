/* script.h -- a specification whose statements are understood, or refused.
 *
 * What a session does before its steps belongs to every interleaving, and so
 * does the setup: where one of their statements is refused, all interleavings
 * are.  A step that is refused spoils those that it is part of.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SCRIPT_H
#define SPEC_SCRIPT_H

#include "spec/spec.h"
#include "spec/statement.h"

/* The statements of a block, up to the first that is refused. */
struct script_block {
    VEC(struct spec_statement) statements;
    uint32_t refusal; // among the script's; SCRIPT_UNDERSTOOD
};

#define SCRIPT_UNDERSTOOD UINT32_MAX

struct script_refusal {
    uint64_t line, column;
    const char *text;
    bool is_reported; // to the user
};

struct script {
    const struct spec *spec; // borrowed
    const struct flavour *flavour;
    table_vec tables;
    VEC(struct script_block) setups; // of the sessions
    VEC(struct script_block) steps;
    VEC(struct script_refusal) refusals;
    uint32_t refusal; // of all interleavings, or SCRIPT_UNDERSTOOD
    struct arena arena;
};

/* Understand what there is to understand. */
void script_read(const struct spec *s, const struct flavour *flavour,
                 struct script *out);
void script_free(struct script *s);

/* The refusal that an interleaving has met, or SCRIPT_UNDERSTOOD. */
uint32_t script_refuses(const struct script *s, const u32_vec *order);

/* The same as an error, "file:line:column: not understood, ..."; return
 * false. */
bool script_error(const struct script *s, uint32_t refusal, struct err *err);

/* The statements of a text as they stand, for databases that take one at a
 * time. */
void script_split(const char *sql, const struct flavour *flavour,
                  struct arena *arena, text_vec *out);

#endif
