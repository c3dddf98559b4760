-- What test_interpreter runs here and on a server: types, what they hold, and
-- names in quotes.
CREATE TABLE t (
    k smallint PRIMARY KEY,
    v smallint,
    b bigint,
    n numeric(3),
    m numeric,
    d date,
    ts timestamp,
    s varchar(3)
);
CREATE TABLE "Order" ("User" int PRIMARY KEY, "select" int, "a b" text);

CREATE FUNCTION try_smallint(p int) RETURNS void LANGUAGE sql AS $$
    UPDATE t SET v = v * 10000::smallint
$$;

CREATE FUNCTION try_smallint_narrow(p int) RETURNS void LANGUAGE sql AS $$
    UPDATE t SET v = p * 20000
$$;

CREATE FUNCTION try_smallint_variable(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a smallint := 1;
BEGIN
    a := p * 10000;
    RETURN a;
END $$;

CREATE FUNCTION try_smallint_into(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a smallint;
BEGIN
    SELECT sum(v) * 10000 INTO a FROM t;
    RETURN a;
END $$;

CREATE FUNCTION try_int_overflow(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p * 1000000000;
END $$;

CREATE FUNCTION try_int_sum_overflow(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN 2147483644 + p;
END $$;

CREATE FUNCTION try_int_negate(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN -(-2147483644 - p);
END $$;

CREATE FUNCTION try_int_least(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN (-2147483645 - p) / -1 + (-2147483645 - p) % -1;
END $$;

CREATE FUNCTION try_bigint(p int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN p::bigint * 1000000000;
END $$;

CREATE FUNCTION try_bigint_too_late(p int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (p * 1000000000)::bigint;
END $$;

CREATE FUNCTION try_bigint_returned(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN p::bigint * 1000000000;
END $$;

CREATE FUNCTION try_bigint_overflow(p int) RETURNS void LANGUAGE sql AS $$
    UPDATE t SET b = b * 4611686018427387904
$$;

CREATE FUNCTION try_bigint_cast(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RETURN (p::bigint * 1000000000)::int;
END $$;

CREATE FUNCTION try_digits(p int) RETURNS void LANGUAGE sql AS $$
    UPDATE t SET n = n * 300
$$;

CREATE FUNCTION try_digits_insert(p smallint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO t (k, n) VALUES (p, p * 250)
$$;

CREATE FUNCTION try_numeric(p numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE a numeric(4);
BEGIN
    SELECT max(m) * 3 + p INTO a FROM t WHERE n >= p OR m < p;
    RETURN a;
END $$;

CREATE FUNCTION try_numeric_to_int(p numeric) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM t WHERE m::int = p::int OR v = p
$$;

CREATE FUNCTION try_date(p date) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM t WHERE d < p OR d = '2000-01-02' OR d >= '2000-01-04'
$$;

CREATE FUNCTION try_date_add(p int) RETURNS void LANGUAGE sql AS $$
    UPDATE t SET d = d + p - 40 WHERE 3 + d > '1999-12-31'
$$;

CREATE FUNCTION try_date_leap(p int) RETURNS date LANGUAGE plpgsql AS $$
DECLARE a date := '2000-02-28';
BEGIN
    IF a + p = '2000-02-29' OR a + 366 = '2001-02-28' THEN
        RETURN a + p * 365;
    END IF;
    RETURN '1900-03-01';
END $$;

CREATE FUNCTION try_date_minus(p date) RETURNS int LANGUAGE sql AS $$
    SELECT max(d) - min(d) + (p - '1970-01-01') FROM t
$$;

CREATE FUNCTION try_date_order(p int) RETURNS date LANGUAGE sql AS $$
    SELECT d FROM t WHERE k = p ORDER BY d
$$;

CREATE FUNCTION try_date_greatest(p date) RETURNS date LANGUAGE sql AS $$
    SELECT greatest(p, '1999-12-30', max(d)) FROM t
$$;

CREATE FUNCTION try_timestamp(p timestamp) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM t WHERE ts < p
$$;

CREATE FUNCTION try_timestamp_set(p timestamp) RETURNS timestamp
LANGUAGE plpgsql AS $$
DECLARE a timestamp;
BEGIN
    SELECT max(ts) INTO a FROM t;
    UPDATE t SET ts = coalesce(p, a);
    RETURN a;
END $$;

CREATE FUNCTION try_varchar(p int) RETURNS void LANGUAGE sql AS $$
    UPDATE t SET s = CASE WHEN k > p THEN 'abcd' ELSE 'abc' END
$$;

CREATE FUNCTION try_varchar_umlaut(p smallint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO t (k, s) VALUES (p, 'äöü')
$$;

CREATE FUNCTION try_varchar_variable(p smallint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE a text := 'abcd';
BEGIN
    INSERT INTO t (k, s) VALUES (p, a);
    RETURN EXISTS (SELECT 1 FROM t WHERE s = a);
END $$;

CREATE FUNCTION try_notice(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE 'one % two %', 10 / p, p;
    RETURN p;
END $$;

CREATE FUNCTION try_raise_values(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF p > 1 THEN
        RAISE EXCEPTION 'there are %', (SELECT count(*) FROM t);
    END IF;
    RETURN p;
END $$;

CREATE FUNCTION "Try"(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    "A" int;
BEGIN
    SELECT "select" INTO "A" FROM "Order" WHERE "User" = p;
    UPDATE "Order" SET "a b" = 'x', "select" = "A" + 1 WHERE "User" < p;
    INSERT INTO "Order" VALUES (9, 1, 'y') ON CONFLICT ("User") DO NOTHING;
    RETURN "A";
END $$;
