/* prove_queries.c -- assay prove --smt: the queries of a proof as files.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/prove/prove.h"

#include "base/outfile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool
prove_write_queries(const struct options *o, const struct level_choice *levels,
                    const struct prove_result *r, const struct proof_log *log,
                    struct err *err)
{
    const char *const level =
        levels->own ? "own" : isolation_brief(levels->common);
    if (r->verdict != PROVE_PROVED) {
        fprintf(stderr, "note: no queries: there is no proof\n");
        return true;
    }
    if (mkdir(o->smt, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "%s", strerror(errno));
        return err_in_file(err, o->smt);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < log->queries.n; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s/%s-%04zu.smt2", o->smt, level, i + 1);
        ok = outfile_write(path.at, &log->queries.at[i], err);
        buf_free(&path);
    }
    return ok;
}
