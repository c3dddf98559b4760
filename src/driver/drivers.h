/* drivers.h -- the rows of the table of drivers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_DRIVERS_H
#define DRIVER_DRIVERS_H

#include "driver/driver.h"

extern const struct driver driver_store, driver_sqlite, driver_postgresql,
    driver_mariadb, driver_duckdb, driver_firebird, driver_odbc, driver_exec;

#endif
