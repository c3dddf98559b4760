-- What test_interpreter runs here and on a server: expressions.
CREATE TABLE t (k int PRIMARY KEY, v int, w int NOT NULL DEFAULT 7, b boolean, s text);
CREATE TABLE u (k int PRIMARY KEY, v int, t int REFERENCES t (k));

CREATE FUNCTION try_abs(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN abs(p - q);
END $$;

CREATE FUNCTION try_assign_bool(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x boolean;
BEGIN
    x := 'true';
    x := x AND p > 1;
    RETURN CASE WHEN x THEN 1 WHEN NOT x THEN 0 END;
END $$;

CREATE FUNCTION try_assign_cast(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    a := '12';
    c := a + p;
    RETURN c;
END $$;

CREATE FUNCTION try_assign_eq(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a boolean;
BEGIN
    a = p = q;
    RETURN 1;
END $$;

CREATE FUNCTION try_between(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN p BETWEEN 1 AND q THEN 1 WHEN p NOT BETWEEN q AND 3 THEN 2 ELSE 3 END;
END $$;

CREATE FUNCTION try_bigconst(p int, q int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN 9223372036854775807;
END $$;

CREATE FUNCTION try_boolconst2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN (p > q) = 't' THEN 1 ELSE 0 END;
END $$;

CREATE FUNCTION try_booltest(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x boolean;
BEGIN
    x := p > q;
    RETURN CASE WHEN x IS TRUE THEN 1 WHEN x IS FALSE THEN 2 WHEN x IS UNKNOWN THEN 3 END + CASE WHEN x IS NOT TRUE THEN 10 ELSE 0 END + CASE WHEN x IS NOT FALSE THEN 100 ELSE 0 END + CASE WHEN x IS NOT UNKNOWN THEN 1000 ELSE 0 END;
END $$;

CREATE FUNCTION try_case1(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN q = 0 THEN 0 ELSE p / q END;
END $$;

CREATE FUNCTION try_case2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE p WHEN 1 THEN 10 WHEN q THEN 20 WHEN NULL THEN 30 END;
END $$;

CREATE FUNCTION try_cast1(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p::bigint + q::smallint + '5'::int;
END $$;

CREATE FUNCTION try_cast5(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN cast('7' AS integer) + p;
END $$;

CREATE FUNCTION try_chaincmp(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN (p < q) = (q < 3) THEN 1 ELSE 2 END;
END $$;

CREATE FUNCTION try_coalesce(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN coalesce(p, q, 3) + coalesce(NULL, q, 1);
END $$;

CREATE FUNCTION try_comment(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := /* = 3 */ p -- = 4
 + 1;
    RETURN a;
END $$;

CREATE FUNCTION try_constant(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a CONSTANT int := 4;
BEGIN
    RETURN a + p;
END $$;

CREATE FUNCTION try_declare_init(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int := p * 2; c int DEFAULT a + q;
BEGIN
    RETURN a + coalesce(c, 0);
END $$;

CREATE FUNCTION try_default_arg(p int, q int DEFAULT 5) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p + q;
END $$;

CREATE FUNCTION try_div(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p / q;
END $$;

CREATE FUNCTION try_divneg(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN (p * 7 - 5) / 2 * 100 + (p * 7 - 5) % 2;
END $$;

CREATE FUNCTION try_greatest(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN greatest(p, q, 1) * 10 + least(p, NULL, q);
END $$;

CREATE FUNCTION try_in1(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN p IN (1, q, NULL) THEN 1 WHEN p NOT IN (2, q) THEN 2 WHEN p NOT IN (3, NULL) THEN 3 ELSE 4 END;
END $$;

CREATE FUNCTION try_intmin(p int, q int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN -9223372036854775808 / p;
END $$;

CREATE FUNCTION try_mod(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN mod(p, q) * 10 + p % 3;
END $$;

CREATE FUNCTION try_null_stmt(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    IF p > q THEN NULL;
    ELSE a := 4;
    END IF;
    RETURN a;
END $$;

CREATE FUNCTION try_nullif(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN coalesce(nullif(p, q), 100);
END $$;

CREATE FUNCTION try_numeric_big(p int, q int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN p * 3000000000 / 1000000000;
END $$;

CREATE FUNCTION try_oper(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p OPERATOR(pg_catalog.+) q;
END $$;

CREATE FUNCTION try_perform_expr(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 / p;
    RETURN 1;
END $$;

CREATE FUNCTION try_pgcat(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN pg_catalog.abs(p);
END $$;

CREATE FUNCTION try_prec1(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p + q * 2 - p / 2 % 3;
END $$;

CREATE FUNCTION try_prec2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN -p % 3 + -q * 2;
END $$;

CREATE FUNCTION try_prec3(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF NOT p = 1 AND q = 2 OR p > q THEN RETURN 1;
    END IF;
    RETURN 0;
END $$;

CREATE FUNCTION try_quotedvar(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE "A" int; a int;
BEGIN
    "A" := p;
    a := 2;
    RETURN "A" * 10 + a;
END $$;

CREATE FUNCTION try_retbool(p int, q int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN p = q;
END $$;

CREATE FUNCTION try_retcast(p int, q int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN p;
END $$;

CREATE FUNCTION try_rettext(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN 'abc';
END $$;

CREATE FUNCTION try_select_nofrom(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    SELECT p, q INTO c, a;
    RETURN a * 10 + c;
END $$;

CREATE FUNCTION try_shortcircuit(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF p <> 0 AND 10 / p > 2 THEN RETURN 1;
    END IF;
    IF q = 0 OR 10 / q > 2 THEN RETURN 2;
    END IF;
    RETURN 3;
END $$;

CREATE FUNCTION try_unnamed(int, int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN $1 + $2;
END $$;

CREATE FUNCTION try_wherenofrom(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 5;
    a := p WHERE q > 1;
    RETURN coalesce(a, -1);
END $$;

CREATE FUNCTION try_wherenofrom2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT p INTO a WHERE q > 1;
    RETURN coalesce(a, -1);
END $$;
