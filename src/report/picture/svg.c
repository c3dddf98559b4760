/* svg.c -- the anomalies as one drawing, for a paper or an issue.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/picture/picture.h"

enum { TITLE = 34 };

static const char style[] =
    "text{font:13px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"
    "fill:#1c2128}"
    ".title{font:600 15px system-ui,sans-serif}"
    ".frame{fill:#fff;stroke:#57606a}.context .frame{stroke:#c6ccd2}"
    ".aborted .frame,.indeterminate .frame{stroke-dasharray:5 3}"
    ".init .frame{fill:#f0f2f4}"
    ".name{font-weight:600}.dim{fill:#6e7781}"
    ".read{fill:#ddf4ff}.write{fill:#fff1cf}"
    ".read.changed{fill:#fff8c5;stroke:#9a6700}"
    ".line,.hit{fill:none}.hit{stroke:none}"
    ".line{stroke:#8b949e;stroke-width:1.5}.head{fill:#8b949e}"
    ".inferred .line{stroke-dasharray:6 3}.plain .line{stroke-width:1}"
    ".plate{fill:#fff;stroke:#8b949e}.label{fill:#57606a}"
    ".rw .line,.rw .plate{stroke:#cf222e}"
    ".rw .head,.rw .dot,.rw .label{fill:#cf222e}"
    ".wr .line,.wr .plate{stroke:#0969da}"
    ".wr .head,.wr .dot,.wr .label{fill:#0969da}"
    ".ww .line,.ww .plate{stroke:#9a6700}"
    ".ww .head,.ww .dot,.ww .label{fill:#9a6700}"
    ".so .dot,.so .head{fill:#57606a}.time .line,.time .plate{stroke:#8250df}"
    ".time .head,.time .dot,.time .label{fill:#8250df}"
    ".cycle .line{stroke-width:2.6}.cycle .label{font-weight:600}";

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    struct buf body = {0};
    int width = 320, y = 0;
    for (size_t i = 0; i < run->check->results.n; i++)
        for (size_t j = 0; j < run->explanations[i].anomalies.n; j++) {
            const struct anomaly *a = &run->explanations[i].anomalies.at[j];
            struct picture p;
            picture_init(&p, a);
            const int title = (int)(8 * (8 + strlen(a->headline)));
            width = p.width > width ? p.width : width;
            width = title > width ? title : width;
            buf_printf(&body, "<g transform=\"translate(0 %d)\">", y);
            buf_text(&body, "<text class=\"title\" x=\"16\" y=\"24\">");
            buf_printf(&body, "%s: ",
                       level_table[run->check->results.at[i].level].brief);
            part_xml(&body, a->headline);
            buf_printf(&body, "</text><g transform=\"translate(0 %d)\">",
                       TITLE);
            picture_svg(&p, a, "", &body);
            buf_text(&body, "</g></g>\n");
            y += TITLE + p.height;
            picture_free(&p);
        }
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
               "height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>%s</style>\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
               width, y ? y : 40, width, y ? y : 40, style);
    if (!y) {
        buf_text(out, "<text x=\"16\" y=\"24\">");
        part_undrawn(run, &body);
        part_xml(out, body.n ? body.at : "nothing is violated");
        buf_text(out, "</text>\n");
        buf_clear(&body);
    }
    if (body.n)
        buf_add(out, body.at, body.n);
    buf_text(out, "</svg>\n");
    buf_free(&body);
}

const struct report_format report_svg = {
    .name = "svg",
    .suffix = ".svg",
    .help = "a drawing per history",
    .add = add,
};
