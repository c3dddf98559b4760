/* plain_role.h -- a plain role in which superusers are recorded.
 *
 * Row security does not apply to a superuser, so nothing would report what it
 * reads.  A session that logs in as one is given a role of ours by its first
 * message: no superuser, and a member of every other role, so it has the rights
 * of all owners.  Views and SECURITY DEFINER functions that belong to a
 * superuser belong to this role meanwhile.  The functions of this header work
 * in the transaction of the caller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_PLAIN_ROLE_H
#define RECORD_PLAIN_ROLE_H

#include "driver/driver.h"

enum { PLAIN_ROLE_NAME = 64 }; // bytes of a role's name

/* Whether the administrator can make the role: only a superuser can. */
bool plain_role_is_possible(struct connection *admin, bool *out,
                            struct err *err);

/* Make the role, after schema "assay". */
bool plain_role_install(struct connection *admin, struct err *err);

/* Give back what belongs to it, and drop it; before schema "assay" is dropped.
 * What the application made meanwhile goes to the superuser it logged in as. */
bool plain_role_remove(struct connection *admin, struct err *err);

/* The role in which a superuser is recorded, into 'role', which has
 * PLAIN_ROLE_NAME bytes; if there is none, why. */
bool plain_role_of(struct connection *admin, const char *superuser, char *role,
                   char *why, size_t room);

#endif
