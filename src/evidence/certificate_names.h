/* certificate_names.h -- the words of a certificate's text, shared by its
 * writer and its reader.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_CERTIFICATE_NAMES_H
#define EVIDENCE_CERTIFICATE_NAMES_H

#include "evidence/proof.h"

#define CERTIFICATE_MAGIC "assay-certificate 1"

// clang-format off
static const char *const verdict_names[] = {
    [VERDICT_OK] = "ok", [VERDICT_VIOLATED] = "violated",
    [VERDICT_UNKNOWN] = "unknown"};

static const char *const evidence_names[] = {
    [EVIDENCE_NONE] = "none", [EVIDENCE_ORDER] = "order",
    [EVIDENCE_FLAW] = "flaw", [EVIDENCE_CYCLE] = "cycle",
    [EVIDENCE_PROOF] = "proof", [EVIDENCE_CASES] = "cases"};

static const char *const edge_names[] = {
    [EDGE_SO] = "so", [EDGE_WR] = "wr", [EDGE_WW] = "ww", [EDGE_RW] = "rw",
    [EDGE_TIME] = "time", [EDGE_COMMIT] = "commit", [EDGE_CO] = "co"};

static const char *const fact_names[] = {
    [FACT_BEFORE] = "before", [FACT_CHOICE] = "choice",
    [FACT_AHEAD] = "ahead", [FACT_COUNTS] = "counts"};
// clang-format on

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#endif
