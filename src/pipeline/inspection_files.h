/* inspection_files.h -- what an inspection writes beside its reports: the
 * certificate and the reduced history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INSPECTION_FILES_H
#define PIPELINE_INSPECTION_FILES_H

#include "pipeline/inspection.h"

/* Write the files that the options name, within what is left of the limits,
 * of which 'spent' seconds are over.  Where there is nothing to write, or a
 * limit is reached, a note says so; in the second case an ok verdict becomes
 * unknown. */
bool inspection_write_files(const struct inspection_options *o,
                            const struct inspection *i, double spent,
                            enum verdict *verdict, struct buf *notes,
                            struct err *err);

#endif
