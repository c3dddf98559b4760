/* setup_objects.h -- functions, types, views, sequences and schemas that a
 * setup makes on PostgreSQL, besides its tables.
 *
 * A run removes what its setup made, and nothing else: an object that was not
 * there before the setup, and whose name the SQL of the setup has as a word.
 * Nothing that depends on such an object is removed with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_SETUP_OBJECTS_H
#define SPEC_ROW_SETUP_OBJECTS_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "driver/driver.h"

struct setup_object {
    const char *what; // for DROP: "function public.f(integer)"
    const char *name; // "f"
};

typedef VEC(struct setup_object) setup_objects;

/* The objects of the database that are not in 'before', which may be NULL.
 * Texts are in the arena.  None on other databases. */
bool setup_objects_read(struct connection *c, const setup_objects *before,
                        struct arena *arena, setup_objects *out,
                        struct err *err);

bool setup_objects_has(const setup_objects *objects, const char *what);

/* Remove them, as far as nothing else depends on them. */
void setup_objects_drop(struct connection *c, const setup_objects *objects);

#endif
