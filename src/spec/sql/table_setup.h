/* table_setup.h -- what the statements of a setup say about tables.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_TABLE_SETUP_H
#define SPEC_SQL_TABLE_SETUP_H

#include "spec/sql/table.h"

/* Understand a statement of the setup: add the tables that it creates, and the
 * flaws that it gives to others.  False if it may change the meaning of later
 * statements. */
bool table_learn_setup(struct parser *p, table_vec *tables);

#endif
