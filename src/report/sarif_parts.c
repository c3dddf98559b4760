/* sarif_parts.c -- see sarif_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/sarif_parts.h"

#include "report/parts.h"

void
sarif_begin(const char *version, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "version", "2.1.0");
    json_text(out, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_array(out, "runs");
    json_object(out, NULL);
    json_object(out, "tool");
    json_object(out, "driver");
    json_text(out, "name", "assay");
    json_text(out, "version", version);
    json_array(out, "rules");
}

void
sarif_message(const char *name, const char *text, struct buf *out)
{
    json_object(out, name);
    json_text(out, "text", text);
    json_object_end(out);
}

void
sarif_rule(const char *id, const char *title, const char *meaning,
           const char *level, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "id", id);
    sarif_message("shortDescription", title, out);
    sarif_message("fullDescription", meaning, out);
    json_object(out, "defaultConfiguration");
    json_text(out, "level", level);
    json_object_end(out);
    json_object_end(out);
}

void
sarif_begin_results(struct buf *out)
{
    json_array_end(out);
    json_object_end(out);
    json_object_end(out);
    json_break(out, false);
    json_text(out, "columnKind", "unicodeCodePoints");
    json_array(out, "results");
}

void
sarif_begin_result(bool is_first, struct buf *out)
{
    json_break(out, is_first);
    json_object(out, NULL);
}

void
sarif_end(struct buf *out)
{
    buf_char(out, '\n');
    json_array_end(out);
    json_object_end(out);
    json_array_end(out);
    json_end_line(out);
}

void
sarif_begin_location(const char *file, uint64_t line, struct buf *out)
{
    json_object(out, NULL);
    json_object(out, "physicalLocation");
    json_object(out, "artifactLocation");
    json_key(out, "uri");
    part_uri(out, file);
    json_object_end(out);
    if (line) {
        json_object(out, "region");
        json_u64(out, "startLine", line);
        json_object_end(out);
    }
    json_object_end(out);
}

void
sarif_begin_flow(struct buf *out)
{
    json_array(out, "codeFlows");
    json_object(out, NULL);
    json_array(out, "threadFlows");
    json_object(out, NULL);
    json_array(out, "locations");
}

void
sarif_end_flow(struct buf *out)
{
    json_array_end(out);
    json_object_end(out);
    json_array_end(out);
    json_object_end(out);
    json_array_end(out);
}

void
sarif_isolation(const char *level, struct buf *out)
{
    json_object(out, "properties");
    json_text(out, "isolation", level);
    json_object_end(out);
}
