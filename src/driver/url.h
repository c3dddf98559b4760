/* url.h -- parse a target, the address of a database.
 *
 *     postgresql://user:password@host:port,host:port/database?name=value
 *     sqlite:path?name=value            store:level?name=value
 *     exec:command, odbc:string         as it stands, to the end
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_URL_H
#define DRIVER_URL_H

#include "base/container/vec.h"
#include "base/err.h"
#include "base/memory/arena.h"

struct url_host {
    const char *name;
    const char *port; // "" if not given
};

struct url_parameter {
    const char *name, *value;
};

struct url {
    const char *text;   // as given
    const char *scheme; // "postgresql"
    bool has_hosts;     // it has "//" after the scheme
    const char *user, *password;
    VEC(struct url_host) hosts;
    const char *path; // the database, file or level; "" if not given
    VEC(struct url_parameter) parameters;
    struct arena arena;
};

/* Parse 'text' and decode %XX.  Fails with ERR_USAGE. */
bool url_parse(const char *text, struct url *out, struct err *err);
void url_free(struct url *u);

/* The value of a parameter, or 'otherwise' if it is not given. */
const char *url_get(const struct url *u, const char *name,
                    const char *otherwise);

/* Fail with ERR_USAGE if a parameter is not in 'known', which ends with
 * NULL: a misspelt parameter must not silently test something else. */
bool url_expect(const struct url *u, const char *const *known, struct err *err);

/* The same URL with the i-th host alone. */
char *url_of_host(const struct url *u, size_t i, struct arena *arena);

#endif
