/* order_certificate.h -- an order that breaks nothing, as a certificate.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_ORDER_CERTIFICATE_H
#define STRONG_ORDER_ORDER_CERTIFICATE_H

#include "strong/order/order_check.h"

/* The level holds: the certificate is the order, without the points of the
 * time line and of optional transactions that do not count in it, and with a
 * writer for each ambiguous read.
 *
 *   require  the order breaks nothing; 'out' claims nothing */
void order_certificate_make(const struct order_check *a, const uint32_t *order,
                            struct certificate *out);

#endif
