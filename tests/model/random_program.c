/* random_program.c -- see random_program.h.
 *
 * SPDX-License-Identifier: MIT */
#include "random_program.h"

#include <stdbool.h>

static const char *
pick(struct random *r, const char *const *all, size_t n)
{
    return all[random_below(r, n)];
}
#define PICK(r, ...)                                                           \
    pick(r, (const char *const[]){__VA_ARGS__},                                \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void
random_read(struct random *r, struct buf *out)
{
    const char *table = PICK(r, "t", "u");
    switch (random_below(r, 5)) {
    case 0:
    case 1:
        buf_printf(out, "  SELECT v INTO a FROM %s WHERE k = %s%s;\n", table,
                   PICK(r, "p", "p", "q", "1"),
                   PICK(r, "", "", "", " FOR UPDATE", " FOR SHARE"));
        break;
    case 2:
        buf_printf(out, "  SELECT %s INTO a FROM %s WHERE v %s;\n",
                   PICK(r, "count(*)", "sum(v)", "max(v)", "min(k)"), table,
                   PICK(r, "> 0", "= q", "< 2", "<> p"));
        break;
    case 3:
        buf_printf(out,
                   "  SELECT v INTO a FROM %s WHERE v > %s ORDER BY k%s LIMIT "
                   "1%s;\n",
                   table, PICK(r, "0", "p"), PICK(r, "", " DESC"),
                   PICK(r, "", " FOR UPDATE"));
        break;
    default:
        buf_printf(out,
                   "  IF EXISTS (SELECT 1 FROM %s WHERE v = %s) THEN a := 1; "
                   "END IF;\n",
                   table, PICK(r, "q", "a", "1"));
    }
}

static const char *
on_conflict(struct random *r)
{
    return PICK(r, "", " ON CONFLICT (k) DO NOTHING",
                " ON CONFLICT (k) DO UPDATE SET v = excluded.v");
}

static void
random_write(struct random *r, struct buf *out)
{
    const char *table = PICK(r, "t", "u");
    switch (random_below(r, 8)) {
    case 0:
    case 1:
    case 2:
        buf_printf(out, "  UPDATE %s SET v = %s WHERE %s;\n", table,
                   PICK(r, "v + 1", "coalesce(a, 0)", "coalesce(a, 0) + 1", "q",
                        "0", "(SELECT count(*) FROM t)",
                        "coalesce((SELECT max(v) FROM u), 0)"),
                   PICK(r, "k = p", "k = p", "k = q", "v = q", "v > 0",
                        "k = p AND v > 0"));
        break;
    case 3:
        buf_printf(out, "  INSERT INTO %s VALUES (%s, %s)%s;\n", table,
                   PICK(r, "p", "q", "greatest(p, 1)"),
                   PICK(r, "q", "coalesce(a, 1)", "0",
                        "coalesce((SELECT min(v) FROM t), 1)"),
                   on_conflict(r));
        break;
    case 4:
        buf_printf(out, "  INSERT INTO %s SELECT k, v FROM %s WHERE %s%s;\n",
                   table, PICK(r, "t", "u"),
                   PICK(r, "k = p", "v = q", "v > 0", "k <> q"),
                   on_conflict(r));
        break;
    case 5:
        buf_printf(out, "  INSERT INTO %s VALUES (p, q), (q, %s)%s;\n", table,
                   PICK(r, "q", "p"), on_conflict(r));
        break;
    default:
        buf_printf(out, "  DELETE FROM %s WHERE %s;\n", table,
                   PICK(r, "k = p", "k = q", "v = q", "v > 1"));
    }
}

/* A statement in a loop, about the row with this key. */
static void
random_step(struct random *r, const char *key, struct buf *out)
{
    const char *table = PICK(r, "t", "u");
    switch (random_below(r, 5)) {
    case 0:
        buf_printf(out, "    SELECT v INTO b FROM %s WHERE k = %s;\n", table,
                   key);
        break;
    case 1:
    case 2:
        buf_printf(out, "    UPDATE %s SET v = %s WHERE k = %s;\n", table,
                   PICK(r, "v + 1", "q", "coalesce(b, 0)"), key);
        break;
    case 3:
        buf_printf(out, "    INSERT INTO %s VALUES (%s, %s)%s;\n", table, key,
                   PICK(r, "q", "coalesce(b, 1)"), on_conflict(r));
        break;
    default:
        buf_printf(out, "    DELETE FROM %s WHERE k = %s;\n", table, key);
    }
}

static void
random_loop(struct random *r, struct buf *out)
{
    const char *key = "a", *last = "    a := a + 1;\n";
    switch (random_below(r, 3)) {
    case 0:
        buf_printf(out, "  FOR x IN SELECT k, v FROM %s WHERE %s LOOP\n",
                   PICK(r, "t", "u"), PICK(r, "v > 0", "v = q", "k = p"));
        key = "x.k";
        last = PICK(r, "", "", "    b := x.v;\n", "    EXIT WHEN x.v > 1;\n");
        break;
    case 1:
        buf_printf(out, "  FOR i IN %s LOOP\n",
                   PICK(r, "p..q", "1..2", "REVERSE 2..p"));
        key = "i";
        last = PICK(r, "", "", "    IF b > 0 THEN RETURN b; END IF;\n");
        break;
    default:
        buf_text(out, "  a := p;\n  WHILE a < 3 LOOP\n");
    }
    for (uint64_t n = 1 + random_below(r, 2); n-- > 0;)
        random_step(r, key, out);
    buf_printf(out, "%s  END LOOP;\n", last);
}

static void
random_statement(struct random *r, struct buf *out)
{
    const bool guarded = random_below(r, 4) == 0;
    if (guarded)
        buf_printf(out, "  IF %s THEN\n",
                   PICK(r, "a > 0", "a IS NULL", "FOUND", "p < q"));
    const uint64_t kind = random_below(r, 9);
    if (kind == 0)
        random_loop(r, out);
    else if (kind < 5)
        random_write(r, out);
    else
        random_read(r, out);
    if (guarded)
        buf_text(out, "  END IF;\n");
}

void
random_program(struct random *r, struct buf *out)
{
    buf_printf(out,
               "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL%s);\n"
               "CREATE TABLE u (k int PRIMARY KEY%s, v int NOT NULL%s);\n",
               PICK(r, "", "", " CHECK (v < 3)", " UNIQUE"),
               PICK(r, "", "", "", " REFERENCES t (k)"),
               PICK(r, "", "", " UNIQUE", " REFERENCES t (k)"));
    const uint64_t n = 1 + random_below(r, 2);
    for (uint64_t f = 0; f < n; f++) {
        buf_printf(out,
                   "CREATE FUNCTION f%d(p int, q int) RETURNS int LANGUAGE "
                   "plpgsql STRICT AS $$\nDECLARE a int; b int; x record;\n"
                   "BEGIN\n",
                   (int)f);
        const uint64_t statements = 1 + random_below(r, 3);
        for (uint64_t i = 0; i < statements; i++)
            random_statement(r, out);
        buf_printf(out, "  RETURN %s;\nEND $$;\n", PICK(r, "a", "a", "0"));
    }
}
