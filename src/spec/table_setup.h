/* table_setup.h -- what the statements of a setup say about tables.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_TABLE_SETUP_H
#define SPEC_TABLE_SETUP_H

#include "spec/table.h"

/* Understand a statement of the setup: note the tables that it makes, and the
 * flaws that it gives to others.  False where it may do something that
 * changes what later statements mean. */
bool table_learn_setup(struct parser *p, table_vec *tables);

#endif
