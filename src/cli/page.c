/* page.c -- see page.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/page.h"

#include "base/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void
page_begin(struct page *p, const char *dir, const struct report_style *style)
{
    *p = (struct page){.dir = dir, .style = *style};
    if (dir)
        report_find("html")->begin(&p->style, &p->html);
}

void
page_add(struct page *p, const struct report_run *run)
{
    if (p->dir)
        report_find("html")->add(run, &p->style, &p->html);
}

bool
page_end(struct page *p, struct err *err)
{
    if (!p->dir)
        return true;
    report_find("html")->end(&p->style, &p->html);
    bool ok = mkdir(p->dir, 0777) == 0 || errno == EEXIST;
    if (ok) {
        struct buf path = {0};
        buf_printf(&path, "%s/index.html", p->dir);
        ok = outfile_write(path.at, &p->html, err);
        buf_free(&path);
    } else {
        err_set(err, ERR_IO, "cannot make the directory: %s", strerror(errno));
        err_in_file(err, p->dir);
    }
    buf_free(&p->html);
    return ok;
}
