/* kinds.h -- the rows of the table of servers that can be started.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_KINDS_H
#define SERVER_KINDS_H

#include "server/server.h"

extern const struct server_kind server_postgresql, server_standby, server_sync,
    server_mariadb, server_galera;

#endif
