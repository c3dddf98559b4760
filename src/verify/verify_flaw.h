/* verify_flaw.h -- a read that no level allows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_FLAW_H
#define VERIFY_VERIFY_FLAW_H

#include "evidence/certificate.h"

bool verify_flaw(const struct history *h, const struct flaw *f,
                 struct err *err);

#endif
