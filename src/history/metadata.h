/* metadata.h -- members of a JSON object, found without reading all of it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_METADATA_H
#define HISTORY_METADATA_H

/* Where the value of the member 'name' begins, or NULL.  Quotes inside of texts
 * are escaped, and a colon follows a name, so nothing else looks like one. */
const char *metadata_find(const char *json, const char *name);

#endif
