/* server_error.c -- see server_error.h.
 *
 * A row gives the beginning of a code, or a part of the message, or both.  The
 * first row that fits counts.  Databases with SQLSTATE share the rows of the
 * scheme "", also programs behind exec: that give such codes.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE // strcasestr
#include "driver/server_error.h"

#include "base/ascii.h"
#include "driver/sql/sql.h"

#include <string.h>

const struct server_finding server_findings[SERVER_ERRORS] = {
    [SERVER_ERROR_SYNTAX] = {"the workload does not run on this server", 2,
                             "statements were refused as errors of syntax; "
                             "choose another workload or target"},
    [SERVER_ERROR_PERMISSION] = {"the workload does not run on this server", 2,
                                 "give the user the right to do this, or "
                                 "choose another user"},
    [SERVER_ERROR_INTERNAL] = {"internal error", 1,
                               "the server calls this a bug of its own; report "
                               "it with the statement"},
    [SERVER_ERROR_VANISHED] = {"row vanished", 1,
                               "statements by the key did not find a row that "
                               "was made before the run and that no statement "
                               "deletes"},
    [SERVER_ERROR_CRASH] = {"server crashed", 1,
                            "a process of the server ended during the run and "
                            "no fault was asked for; see the server's log"},
    [SERVER_ERROR_DAMAGE] = {"index corruption", 1,
                             "stored data contradict each other; keep the data "
                             "directory and report it"},
};

struct row {
    const char *scheme;  // "": SQLSTATE
    const char *code;    // its beginning
    const char *message; // a part of it, in any case; NULL: any
    enum server_error error;
};

static const struct row rows[] = {
    // Programs behind exec: say in words what they have no code for.
    {"exec", "lost", "the program ended", SERVER_ERROR_CRASH},
    {"", "57P02", NULL, SERVER_ERROR_CRASH},
    {"", "XX001", NULL, SERVER_ERROR_DAMAGE},
    {"", "XX002", NULL, SERVER_ERROR_DAMAGE},
    {"", "XX", NULL, SERVER_ERROR_INTERNAL},
    {"", "42501", NULL, SERVER_ERROR_PERMISSION},
    {"", "28", NULL, SERVER_ERROR_PERMISSION},
    {"", "42", NULL, SERVER_ERROR_SYNTAX},
    {"", "0A", NULL, SERVER_ERROR_SYNTAX},
    {"", "22", NULL, SERVER_ERROR_REFUSED},
    {"", "25006", NULL, SERVER_ERROR_REFUSED}, // read only
    {"", "23", NULL, SERVER_ERROR_REFUSED},
    {"mariadb", "1064", NULL, SERVER_ERROR_SYNTAX},     // ER_PARSE_ERROR
    {"mariadb", "1054", NULL, SERVER_ERROR_SYNTAX},     // unknown column
    {"mariadb", "1146", NULL, SERVER_ERROR_SYNTAX},     // unknown table
    {"mariadb", "1305", NULL, SERVER_ERROR_SYNTAX},     // unknown function
    {"mariadb", "1235", NULL, SERVER_ERROR_SYNTAX},     // not supported yet
    {"mariadb", "1044", NULL, SERVER_ERROR_PERMISSION}, // database
    {"mariadb", "1045", NULL, SERVER_ERROR_PERMISSION}, // user
    {"mariadb", "1142", NULL, SERVER_ERROR_PERMISSION}, // table
    {"mariadb", "1143", NULL, SERVER_ERROR_PERMISSION}, // column
    {"mariadb", "1227", NULL, SERVER_ERROR_PERMISSION}, // privilege
    {"mariadb", "1034", NULL, SERVER_ERROR_DAMAGE},     // ER_NOT_KEYFILE
    {"mariadb", "1712", NULL, SERVER_ERROR_DAMAGE},     // ER_INDEX_CORRUPT
    {"mariadb", "1815", NULL, SERVER_ERROR_INTERNAL},   // ER_INTERNAL_ERROR
    {"mariadb", "1048", NULL, SERVER_ERROR_REFUSED},    // NULL
    {"mariadb", "1062", NULL, SERVER_ERROR_REFUSED},    // duplicate
    {"mariadb", "1264", NULL, SERVER_ERROR_REFUSED},    // out of range
    {"mariadb", "1451", NULL, SERVER_ERROR_REFUSED},    // foreign key
    {"mariadb", "1452", NULL, SERVER_ERROR_REFUSED},    // foreign key
    {"mariadb", "1792", NULL, SERVER_ERROR_REFUSED},    // read only
    {"mariadb", "4025", NULL, SERVER_ERROR_REFUSED},    // check
    {"sqlite", "SQLITE_CONSTRAINT", NULL, SERVER_ERROR_REFUSED},
    {"sqlite", "SQLITE_READONLY", NULL, SERVER_ERROR_PERMISSION},
    {"sqlite", "SQLITE_PERM", NULL, SERVER_ERROR_PERMISSION},
    {"sqlite", "SQLITE_AUTH", NULL, SERVER_ERROR_PERMISSION},
    {"sqlite", "SQLITE_CORRUPT", NULL, SERVER_ERROR_DAMAGE},
    {"sqlite", "SQLITE_NOTADB", NULL, SERVER_ERROR_DAMAGE},
    {"sqlite", "SQLITE_INTERNAL", NULL, SERVER_ERROR_INTERNAL},
    {"sqlite", "1", "syntax error", SERVER_ERROR_SYNTAX},
    {"sqlite", "1", "no such ", SERVER_ERROR_SYNTAX},
    {"duckdb", "", "INTERNAL Error", SERVER_ERROR_INTERNAL},
    {"duckdb", "", "FATAL Error", SERVER_ERROR_INTERNAL},
    {"duckdb", "", "Parser Error", SERVER_ERROR_SYNTAX},
    {"duckdb", "", "Binder Error", SERVER_ERROR_SYNTAX},
    {"duckdb", "", "Catalog Error", SERVER_ERROR_SYNTAX},
    {"duckdb", "", "Not implemented Error", SERVER_ERROR_SYNTAX},
    {"duckdb", "", "Permission Error", SERVER_ERROR_PERMISSION},
    {"duckdb", "constraint", NULL, SERVER_ERROR_REFUSED},
};

/* Whether a text is five digits and capital letters. */
static bool
is_sqlstate(const char *code)
{
    size_t n = 0;
    while (ascii_is_digit(code[n]) || ascii_is_upper(code[n]))
        n++;
    return n == 5 && !code[n];
}

/* Numbers are whole; names and classes may be continued. */
static bool
fits_code(const struct row *r, const char *code)
{
    const size_t n = strlen(r->code);
    const bool is_number = *r->scheme && ascii_is_digit(*r->code);
    return strncmp(code, r->code, n) == 0 && (!is_number || !code[n]);
}

enum server_error
server_error_find(const char *scheme, const char *code, const char *message)
{
    const bool has_state = is_sqlstate(code);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if ((*r->scheme ? strcmp(r->scheme, scheme) == 0 : has_state) &&
            fits_code(r, code) &&
            (!r->message || strcasestr(message, r->message)))
            return r->error;
    }
    return strcasestr(message, "internal error") ? SERVER_ERROR_INTERNAL
                                                 : SERVER_ERROR_OTHER;
}

enum server_error
server_error_of(const struct connection *c)
{
    const enum server_error error =
        server_error_find(c->driver->scheme, c->code, c->message);
    // Behind exec: and odbc: the codes are those of a product.
    return error != SERVER_ERROR_OTHER
               ? error
               : server_error_find(sql_product(c->driver), c->code, c->message);
}

bool
server_error_is_refusal(const struct connection *c)
{
    const enum server_error error = server_error_of(c);
    return error == SERVER_ERROR_REFUSED || error == SERVER_ERROR_SYNTAX ||
           error == SERVER_ERROR_PERMISSION;
}
