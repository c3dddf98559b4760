/* readers.h -- the formats, one file each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_READERS_H
#define FORMAT_READERS_H

struct format;

extern const struct format format_text, format_jsonl, format_edn, format_json,
    format_jepsen, format_csv, format_timekiller, format_dbcop_json,
    format_hist, format_dbcop, format_cobra, format_viper, format_trace;

#endif
