/* postgresql_release.h -- a given release of PostgreSQL, fetched with npm.
 *
 * Releases are kept in a cache: the directory in ASSAY_CACHE, else
 * /var/cache/assay for root, whose own directories the server's user cannot
 * read, else assay in XDG_CACHE_HOME or ~/.cache.  A release is fetched once,
 * and only if a run asks for it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_POSTGRESQL_RELEASE_H
#define SERVER_POSTGRESQL_RELEASE_H

#include "server/server.h"

/* The directory with the programs of the release s->version, fetched if it is
 * not in the cache; it lives as long as s.  NULL with ERR_FEATURE if npm is
 * not installed, and with ERR_IO if it cannot fetch the release. */
const char *postgresql_release(struct servers *s, struct err *err);

#endif
