/* verify_list_flaw.h -- a read of a list that no level allows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_LISTS_VERIFY_LIST_FLAW_H
#define VERIFY_LISTS_VERIFY_LIST_FLAW_H

#include "evidence/certificate.h"

bool verify_list_flaw(const struct history *h, const struct flaw *f,
                      struct err *err);

#endif
