/* sql_function.c -- see sql_function.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/sql_function.h"

#include <stddef.h>
#include <string.h>

static const char *const pure[] = {"abs",
                                   "array_agg",
                                   "array_append",
                                   "array_length",
                                   "avg",
                                   "bool_and",
                                   "bool_or",
                                   "box",
                                   "btrim",
                                   "cardinality",
                                   "ceil",
                                   "ceiling",
                                   "char_length",
                                   "circle",
                                   "concat",
                                   "concat_ws",
                                   "count",
                                   "date_part",
                                   "date_trunc",
                                   "daterange",
                                   "dense_rank",
                                   "every",
                                   "exp",
                                   "extract",
                                   "first_value",
                                   "floor",
                                   "format",
                                   "generate_series",
                                   "group_concat",
                                   "hex",
                                   "if",
                                   "ifnull",
                                   "iif",
                                   "initcap",
                                   "instr",
                                   "int4range",
                                   "int8range",
                                   "isempty",
                                   "json_agg",
                                   "jsonb_agg",
                                   "jsonb_build_array",
                                   "jsonb_build_object",
                                   "lag",
                                   "last_value",
                                   "lead",
                                   "left",
                                   "length",
                                   "like_escape",
                                   "ln",
                                   "log",
                                   "lower",
                                   "lpad",
                                   "ltrim",
                                   "max",
                                   "md5",
                                   "min",
                                   "mod",
                                   "numrange",
                                   "octet_length",
                                   "overlaps",
                                   "overlay",
                                   "point",
                                   "polygon",
                                   "position",
                                   "power",
                                   "rank",
                                   "repeat",
                                   "replace",
                                   "reverse",
                                   "right",
                                   "round",
                                   "row_number",
                                   "rpad",
                                   "rtrim",
                                   "sign",
                                   "split_part",
                                   "sqrt",
                                   "starts_with",
                                   "string_agg",
                                   "strpos",
                                   "substr",
                                   "substring",
                                   "sum",
                                   "timezone",
                                   "to_char",
                                   "total",
                                   "trunc",
                                   "truncate",
                                   "tsrange",
                                   "tstzrange",
                                   "typeof",
                                   "unnest",
                                   "upper",
                                   "width_bucket",
                                   NULL};

static const char *const locks[] = {"pg_advisory_lock",
                                    "pg_advisory_lock_shared",
                                    "pg_advisory_unlock",
                                    "pg_advisory_unlock_all",
                                    "pg_advisory_unlock_shared",
                                    "pg_advisory_xact_lock",
                                    "pg_advisory_xact_lock_shared",
                                    "pg_try_advisory_lock",
                                    "pg_try_advisory_xact_lock",
                                    NULL};

static const char *const free_ones[] = {"clock_timestamp",
                                        "current_setting",
                                        "gen_random_uuid",
                                        "nextval",
                                        "now",
                                        "pg_backend_pid",
                                        "pg_notify",
                                        "pg_sleep",
                                        "rand",
                                        "random",
                                        "sleep",
                                        "statement_timestamp",
                                        "transaction_timestamp",
                                        "uuid",
                                        NULL};

static bool
has(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

enum sql_function
sql_function_kind(const char *name)
{
    return has(pure, name)        ? SQL_FUNCTION_PURE
           : has(locks, name)     ? SQL_FUNCTION_LOCK
           : has(free_ones, name) ? SQL_FUNCTION_FREE
                                  : SQL_FUNCTION_UNKNOWN;
}

bool
sql_function_acts(const char *name)
{
    return has(locks, name) || strcmp(name, "nextval") == 0 ||
           strcmp(name, "pg_notify") == 0;
}

bool
sql_function_is_setting(const char *name)
{
    static const char *const whole[] = {"application_name",
                                        "client_min_messages",
                                        "debug_parallel_query",
                                        "default_transaction_isolation",
                                        "force_parallel_mode",
                                        "plan_cache_mode",
                                        "stats_fetch_consistency",
                                        "synchronous_commit",
                                        "work_mem",
                                        NULL};
    static const char *const begins[] = {"enable_",       "jit",
                                         "max_parallel_", "min_parallel_",
                                         "parallel_",     "vacuum_"};
    static const char *const ends[] = {"_cost", "_timeout"};
    bool ok = has(whole, name);
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        ok = ok || strncmp(name, begins[i], strlen(begins[i])) == 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t n = strlen(name), m = strlen(ends[i]);
        ok = ok || (n > m && strcmp(name + n - m, ends[i]) == 0);
    }
    return ok;
}
