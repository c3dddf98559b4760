/* recorder.c -- record transactions for 'assay check', a line each.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int unknown; // transactions of unknown outcome

/* One call of fputs for a line: stdio locks the file, so threads do not mix
 * theirs.  'ops' is JSON: [["r","balance",100],["w","balance",110]]. */
static void
record(FILE *file, const char *session, const char *ops, const char *status)
{
    char line[4096], own[24] = "";
    // It may take effect after what the session does next, so it gets a session
    // of its own.
    if (strcmp(status, "unknown") == 0)
        snprintf(own, sizeof own, "-unknown-%d", ++unknown);
    snprintf(line, sizeof line,
             "{\"session\":\"%s%s\",\"ops\":%s,\"status\":\"%s\"}\n", session,
             own, ops, status);
    fputs(line, file);
    fflush(file);
}

/* Two clients deposit at the same time. */
int
main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!file)
        return 1;
    record(file, "setup", "[[\"w\",\"balance\",100]]", "committed");
    record(file, "ann", "[[\"r\",\"balance\",100],[\"w\",\"balance\",110]]",
           "committed");
    record(file, "bob", "[[\"r\",\"balance\",100],[\"w\",\"balance\",120]]",
           "committed");
    return fclose(file) != 0;
}
