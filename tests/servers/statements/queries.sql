-- What test_interpreter runs here and on a server: queries.
CREATE TABLE t (k int PRIMARY KEY, v int, w int NOT NULL DEFAULT 7, b boolean, s text);
CREATE TABLE u (k int PRIMARY KEY, v int, t int REFERENCES t (k));

CREATE FUNCTION try_agg_beside2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    SELECT count(*) + p, p INTO a, c FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_agg_bool2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT CASE WHEN bool_or(b) THEN 1 WHEN bool_and(b) THEN 2 WHEN every(v > 0) THEN 3 ELSE 4 END INTO a FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_agg_distinct(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(DISTINCT v) * 10 + sum(DISTINCT w) INTO a FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_agg_empty(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) * 100 + count(v) * 10 + coalesce(sum(v), 5) + coalesce(max(v), 7) + coalesce(min(w), 1) INTO a FROM t WHERE k > p;
    RETURN a;
END $$;

CREATE FUNCTION try_agg_exists(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT count(*) FROM t WHERE k > p) THEN RETURN 1;
    END IF;
    RETURN 0;
END $$;

CREATE FUNCTION try_agg_outer2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT k INTO a FROM t WHERE v = (SELECT max(u.v) FROM u WHERE u.t = t.k) ORDER BY k;
    RETURN a;
END $$;

CREATE FUNCTION try_agg_sum_div(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT sum(v) / 2 INTO a FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_boolcmp(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x boolean;
BEGIN
    x := b FROM t WHERE k = p;
    RETURN CASE WHEN x > (p > q) THEN 1 WHEN x = (q > 1) THEN 2 WHEN NOT x THEN 3 WHEN x < true THEN 4 ELSE 5 END;
END $$;

CREATE FUNCTION try_correl(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t = t.k AND u.v > p) AND NOT EXISTS (SELECT 1 FROM u WHERE u.v = t.v);
    RETURN a;
END $$;

CREATE FUNCTION try_count_expr(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    SELECT count(v > 1), count(nullif(v, p)) INTO a, c FROM t;
    RETURN a * 10 + c;
END $$;

CREATE FUNCTION try_cross(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t CROSS JOIN u WHERE t.v > u.v;
    RETURN a;
END $$;

CREATE FUNCTION try_exists_order(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM t WHERE v = p ORDER BY k LIMIT 1) THEN RETURN 1;
    END IF;
    RETURN 0;
END $$;

CREATE FUNCTION try_expr_count(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF count(*) > 1 FROM t WHERE v > p THEN RETURN 1;
    END IF;
    RETURN 0;
END $$;

CREATE FUNCTION try_expr_from(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := v FROM t WHERE k = p;
    RETURN a;
END $$;

CREATE FUNCTION try_in2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF p IN (SELECT v FROM t) THEN RETURN 1;
    END IF;
    IF p NOT IN (SELECT v FROM t WHERE k > q) THEN RETURN 2;
    END IF;
    RETURN 3;
END $$;

CREATE FUNCTION try_inner_name(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE v = (SELECT max(v) FROM u);
    RETURN a;
END $$;

CREATE FUNCTION try_inner_name2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE k IN (SELECT w FROM u);
    RETURN a;
END $$;

CREATE FUNCTION try_inq_distinct(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE v IN (SELECT DISTINCT v FROM u ORDER BY v);
    RETURN a;
END $$;

CREATE FUNCTION try_into_few(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT k, v INTO a FROM t ORDER BY k LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_into_norow(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 3;
    SELECT v INTO a FROM t WHERE k = p;
    RETURN coalesce(a, -5);
END $$;

CREATE FUNCTION try_isdistinct(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN p IS DISTINCT FROM q THEN 1 ELSE 0 END + CASE WHEN p IS NOT DISTINCT FROM NULL THEN 10 ELSE 0 END;
END $$;

CREATE FUNCTION try_least_null(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE greatest(v, w) > p AND least(v, NULL) = v;
    RETURN a;
END $$;

CREATE FUNCTION try_like_eq(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE s IN ('a', 'b') AND s NOT IN ('a');
    RETURN a;
END $$;

CREATE FUNCTION try_limit_fetch(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT k INTO a FROM t ORDER BY k FETCH FIRST ROW ONLY;
    RETURN a;
END $$;

CREATE FUNCTION try_maxcase(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT max(CASE WHEN b THEN v ELSE w END) INTO a FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_minmax_bool(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT max(v) INTO a FROM t WHERE b;
    RETURN a;
END $$;

CREATE FUNCTION try_nullarith(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT sum(v * 2 + NULL) INTO a FROM t;
    RETURN coalesce(a, -7);
END $$;

CREATE FUNCTION try_order_alias(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT -k AS k INTO a FROM t ORDER BY k LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_order_alias2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT v + 1 AS m INTO a FROM t WHERE v IS NOT NULL ORDER BY m LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_order_bool(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT k INTO a FROM t ORDER BY b, k LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_order_null(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT k INTO a FROM t ORDER BY v DESC, k LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_order_null2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT k INTO a FROM t ORDER BY v, k DESC LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_qualified(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT v INTO a FROM t WHERE t.k = try_qualified.p;
    RETURN a;
END $$;

CREATE FUNCTION try_rowtype(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r t%ROWTYPE;
BEGIN
    SELECT * INTO r FROM t WHERE k = p;
    RETURN r.w;
END $$;

CREATE FUNCTION try_scalar2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := (SELECT v FROM t WHERE w = 7);
    RETURN a;
END $$;

CREATE FUNCTION try_scalar3(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT max(v) FROM t) + (SELECT count(*) FROM u WHERE u.v > (SELECT min(v) FROM t));
END $$;

CREATE FUNCTION try_selfjoin(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; x boolean;
BEGIN
    SELECT count(*) INTO a FROM t x, t y WHERE x.v = y.v AND x.k < y.k;
    RETURN a;
END $$;

CREATE FUNCTION try_sql1(p int, q int) RETURNS int LANGUAGE sql AS $$
    SELECT v FROM t WHERE k = p
$$;

CREATE FUNCTION try_sql_colfirst(v int) RETURNS int LANGUAGE sql AS $$
    SELECT count(*)::int FROM t WHERE v = v
$$;

CREATE FUNCTION try_sql_dollar(int, int) RETURNS int LANGUAGE sql AS $$
    SELECT count(*)::int FROM t WHERE v = $1
$$;

CREATE FUNCTION try_sql_rows(p int, q int) RETURNS int LANGUAGE sql AS $$
    SELECT v FROM t ORDER BY k
$$;

CREATE FUNCTION try_sql_setof(p int, q int) RETURNS SETOF int LANGUAGE sql AS $$
    SELECT v FROM t ORDER BY k
$$;

CREATE FUNCTION try_sql_table(p int, q int) RETURNS TABLE (a int, b int) LANGUAGE sql AS $$
    SELECT k, v FROM t WHERE k > p
$$;

CREATE FUNCTION try_sql_void(p int, q int) RETURNS void LANGUAGE sql AS $$
    SELECT v FROM t WHERE k = p
$$;

CREATE FUNCTION try_star_dup(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    SELECT * INTO r FROM t, u WHERE t.k = u.t ORDER BY u.k LIMIT 1;
    RETURN r.v;
END $$;

CREATE FUNCTION try_strict(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT v INTO STRICT a FROM t WHERE w = q;
    RETURN a;
END $$;

CREATE FUNCTION try_sub_distinct(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := (SELECT DISTINCT w FROM t);
    RETURN a;
END $$;

CREATE FUNCTION try_sub_limit(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := (SELECT v FROM t ORDER BY k LIMIT 1);
    RETURN a;
END $$;

CREATE FUNCTION try_sum_case(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT sum(CASE WHEN v > p THEN 1 ELSE 0 END) INTO a FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_text1(z text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE s = 'a' OR s <> z;
    RETURN a;
END $$;

CREATE FUNCTION try_type(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a t.w%TYPE;
BEGIN
    SELECT w INTO a FROM t WHERE k = p;
    RETURN a;
END $$;

CREATE FUNCTION try_upper(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT V INTO A FROM T WHERE K = P;
    RETURN A;
END $$;

CREATE FUNCTION try_using_star2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT u.v INTO a FROM t JOIN u USING (k) WHERE t.v > 0 ORDER BY t.k LIMIT 1;
    RETURN a;
END $$;

CREATE FUNCTION try_where_bool(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE b AND NOT b IS NULL OR v IS NULL;
    RETURN a;
END $$;

CREATE FUNCTION try_where_null(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT count(*) INTO a FROM t WHERE NULL;
    RETURN a;
END $$;
