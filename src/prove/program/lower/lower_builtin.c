/* lower_builtin.c -- functions of PostgreSQL that read no tables, beside those
 * of lower_opaque.c: all that is said of them is that.
 *
 * A name that is in neither list may read or write anything.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

/* One value for one row. */
static const char *const plain[] = {
    "abs", "mod", "now", "transaction_timestamp", "clock_timestamp",
    "statement_timestamp", "greatest", "least", "coalesce", "nullif", "gcd",
    "lcm", "degrees", "radians", "sin", "cos", "tan", "asin", "acos", "atan",
    "atan2", "cbrt", "factorial", "random_normal", "scale", "setseed",
    "cosine_distance", "l2_distance", "inner_product", "overlay",
    "regexp_like", "regexp_count", "regexp_substr", "regexp_instr",
    "regexp_split_to_array", "to_hex", "to_number", "to_ascii", "bit_length",
    "normalize", "parse_ident", "quote_nullable", "get_byte", "set_byte",
    "get_bit", "set_bit", "sha224", "sha384", "sha512", "date_bin",
    "make_time", "to_interval", "overlaps", "justify_days", "justify_hours",
    "timestamp", "timestamptz", "date", "time", "interval", "text", "int4",
    "int8", "int2", "float8", "numeric", "bool", "varchar", "json_object",
    "json_extract_path", "jsonb_path_match", "jsonb_path_query_array",
    "jsonb_path_exists_tz", "json_array_element", "jsonb_set_lax",
    "jsonb_concat", "jsonb_delete", "jsonb_delete_path", "jsonb_exists",
    "jsonb_exists_any", "jsonb_contains", "jsonb_array_element",
    "jsonb_array_element_text", "jsonb_object_field",
    "jsonb_object_field_text", "json_object_field_text", "array_dims",
    "array_positions", "array_fill", "array_to_tsvector", "trim_array",
    "array_larger", "lower_inc", "upper_inc", "lower_inf", "range_merge",
    "multirange", "tsmultirange", "datemultirange", "phraseto_tsquery",
    "ts_rank_cd", "querytree", "numnode", "strip", "tsvector_to_array",
    "word_similarity", "strict_word_similarity", "levenshtein", "soundex",
    "metaphone", "difference", "network", "netmask", "broadcast", "family",
    "masklen", "set_masklen", "inet_server_addr", "inet_same_family",
    "hstore", "akeys", "avals", "slice", "exist", "armor", "encrypt",
    "decrypt", "pgp_sym_encrypt", "pgp_sym_decrypt", "gen_random_uuid",
    "row", "enum_first", "enum_last", "enum_range", "pg_column_size",
    "st_x", "st_y", "st_point", "st_geomfromtext", "st_astext",
    "st_asgeojson", "st_geogfromtext", "st_intersects", "st_contains",
    "st_within", "st_buffer", "st_transform", "st_makeenvelope", "st_area",
    "st_length", "st_distance_sphere", "st_distancesphere", "st_centroid",
    "ltree2text", "text2ltree", "nlevel", "subltree", "subpath", "lca",
    "index", "md5", "hash_record", "hash_array", "uuid_nil", "uuid_ns_url",
    "uuid_generate_v5", "uuid_generate_v3", "sign", "verify",
    "url_encode", "url_decode", "pg_is_in_recovery", "pg_postmaster_start_time",
    "pg_current_wal_lsn", "pg_size_pretty", "pg_advisory_lock_shared",
    "pg_advisory_unlock_shared", "pg_advisory_unlock_all",
    "pg_try_advisory_xact_lock_shared", "col_description", "obj_description",
    "has_table_privilege", "has_schema_privilege", "pg_has_role",
    "to_regclass", "to_regtype", "quote_ident", "xpath", "xmlelement",
    "inet_merge", "bit_count", "unistr", "string_to_table", "current_time",
    "localtime", "user", "current_user", "current_role", "current_catalog",
};

/* Aggregates, functions of windows, functions that give rows. */
static const char *const sets[] = {
    "count", "sum", "min", "max", "avg", "bool_or", "bool_and", "every",
    "array_agg", "string_agg", "json_agg", "jsonb_agg", "json_object_agg",
    "jsonb_object_agg", "xmlagg", "bit_and", "bit_or", "bit_xor",
    "any_value", "range_agg", "range_intersect_agg", "stddev", "stddev_pop",
    "stddev_samp", "variance", "var_pop", "var_samp", "corr", "covar_pop",
    "covar_samp", "regr_slope", "regr_intercept", "regr_r2", "regr_count",
    "mode", "percentile_cont", "percentile_disc", "rank", "dense_rank",
    "percent_rank", "cume_dist", "row_number", "ntile", "lag", "lead",
    "first_value", "last_value", "nth_value", "grouping", "generate_series",
    "generate_subscripts", "unnest", "json_array_elements",
    "json_array_elements_text", "jsonb_array_elements",
    "jsonb_array_elements_text", "json_each", "json_each_text", "jsonb_each",
    "jsonb_each_text", "json_object_keys", "jsonb_object_keys",
    "json_populate_record", "jsonb_populate_record", "json_populate_recordset",
    "jsonb_populate_recordset", "json_to_record", "jsonb_to_record",
    "json_to_recordset", "jsonb_to_recordset", "jsonb_path_query",
    "regexp_matches", "regexp_split_to_table", "string_to_table", "skeys",
    "svals", "each", "ts_debug", "ts_parse", "st_collect", "st_union",
    "st_extent", "st_asmvt", "st_asmvtgeom",
};

static bool
has(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool
lower_reads_nothing(const PgQuery__FuncCall *call, bool *gives_rows)
{
    const char *name = lower_last_name(call->funcname, call->n_funcname);
    const char *schema =
        call->n_funcname > 1 ? lower_last_name(call->funcname, 1) : "";
    const bool own = !*schema || !strcmp(schema, "pg_catalog") ||
                     !strcmp(schema, "extensions") ||
                     !strcmp(schema, "public");
    *gives_rows = *gives_rows || has(sets, sizeof sets / sizeof *sets, name);
    return lower_is_known(call) ||
           (own && (has(sets, sizeof sets / sizeof *sets, name) ||
                    has(plain, sizeof plain / sizeof *plain, name)));
}
