-- What test_interpreter runs here and on a server: writes.
CREATE TABLE t (k int PRIMARY KEY, v int, w int NOT NULL DEFAULT 7, b boolean, s text);
CREATE TABLE u (k int PRIMARY KEY, v int, t int REFERENCES t (k));

CREATE FUNCTION try_default(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET w = DEFAULT, v = DEFAULT WHERE k = p;
    INSERT INTO t (k, w) VALUES (q, DEFAULT);
    RETURN 0;
END $$;

CREATE FUNCTION try_del_sub(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM u WHERE v < (SELECT max(v) FROM u);
    RETURN 1;
END $$;

CREATE FUNCTION try_dollarq(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; x boolean;
BEGIN
    UPDATE t SET s = $x$a'b$x$ WHERE k = p; RETURN 1;
END $$;

CREATE FUNCTION try_escape(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    UPDATE t SET s = E'a\'b' WHERE s = 'it''s';
    RETURN 1;
END $$;

CREATE FUNCTION try_fk_del(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM t WHERE k = p;
    RETURN 0;
END $$;

CREATE FUNCTION try_fk_ins_then(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO u VALUES (p, 1, q);
    DELETE FROM u WHERE t = q;
    DELETE FROM t WHERE k = q;
    RETURN 1;
END $$;

CREATE FUNCTION try_found1(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF FOUND THEN RETURN 1;
    END IF;
    UPDATE t SET v = 1 WHERE k = p;
    IF FOUND THEN RETURN 2;
    END IF;
    RETURN 3;
END $$;

CREATE FUNCTION try_found2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    FOR r IN SELECT k FROM t WHERE k > p LOOP UPDATE u SET v = 0 WHERE k = r.k;
    END LOOP;
    IF FOUND THEN RETURN 2;
    END IF;
    RETURN 3;
END $$;

CREATE FUNCTION try_found3(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    UPDATE t SET v = 1 WHERE k = p;
    a := (SELECT count(*) FROM t);
    IF FOUND THEN RETURN a;
    END IF;
    RETURN -1;
END $$;

CREATE FUNCTION try_found4(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM t WHERE k = p;
    IF NOT FOUND THEN INSERT INTO t (k) VALUES (p);
    END IF;
    RETURN 0;
END $$;

CREATE FUNCTION try_found7(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (k) VALUES (p) ON CONFLICT (k) DO NOTHING;
    IF FOUND THEN RETURN 1;
    END IF;
    RETURN -1;
END $$;

CREATE FUNCTION try_found8(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (k, v) VALUES (p, q) ON CONFLICT (k) DO UPDATE SET v = q WHERE t.v > 0;
    IF FOUND THEN RETURN 1;
    END IF;
    RETURN -1;
END $$;

CREATE FUNCTION try_insert_dup(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (k, v) VALUES (p, 1), (q, 2) ON CONFLICT (k) DO UPDATE SET v = excluded.v + 10;
    RETURN 0;
END $$;

CREATE FUNCTION try_insert_dup2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (k, v) VALUES (p, 1), (q, 2) ON CONFLICT (k) DO NOTHING;
    RETURN 0;
END $$;

CREATE FUNCTION try_insert_null(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (k, w) VALUES (p, NULL) ON CONFLICT (k) DO NOTHING;
    RETURN 0;
END $$;

CREATE FUNCTION try_insert_part(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t VALUES (p);
    RETURN 0;
END $$;

CREATE FUNCTION try_insert_sel(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO u SELECT k + 1, v, k FROM t WHERE k > p ON CONFLICT (k) DO UPDATE SET v = coalesce(u.v, 0) + 1;
    RETURN 0;
END $$;

CREATE FUNCTION try_noreturn(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF p > q THEN RETURN 1;
    END IF;
    UPDATE t SET v = 9;
END $$;

CREATE FUNCTION try_noreturn2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = 9;
    IF p > q THEN RETURN 1;
    ELSE RETURN 2;
    END IF;
END $$;

CREATE FUNCTION try_not_exists_in_where(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.t = t.k);
    RETURN 1;
END $$;

CREATE FUNCTION try_perform_upd(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    PERFORM v FROM t WHERE k = p FOR UPDATE;
    IF FOUND THEN UPDATE t SET v = 0 WHERE k = p;
    END IF;
    RETURN 1;
END $$;

CREATE FUNCTION try_raise_cond(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF p > 0 THEN RAISE unique_violation;
    END IF;
    UPDATE t SET v = 1;
    RETURN 1;
END $$;

CREATE FUNCTION try_raise_notice2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x boolean;
BEGIN
    RAISE NOTICE 'x %', p;
    UPDATE t SET v = 1;
    RETURN 1;
END $$;

CREATE FUNCTION try_raise_sqlstate(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    IF p > 0 THEN RAISE SQLSTATE '22012';
    END IF;
    UPDATE t SET v = 1;
    RETURN 1;
END $$;

CREATE FUNCTION try_returning(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    UPDATE t SET v = coalesce(v, 0) + 1 WHERE k = p RETURNING v, k INTO a, c;
    RETURN a * 100 + c;
END $$;

CREATE FUNCTION try_returning2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    UPDATE t SET v = 3 WHERE k > p RETURNING v INTO a;
    RETURN a;
END $$;

CREATE FUNCTION try_returning3(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    DELETE FROM u WHERE k = p RETURNING v + 1 INTO a;
    RETURN a;
END $$;

CREATE FUNCTION try_returning4(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    INSERT INTO t (k, v) VALUES (p, q) ON CONFLICT (k) DO NOTHING RETURNING w INTO a;
    RETURN a;
END $$;

CREATE FUNCTION try_returning5(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
    INSERT INTO t VALUES (p, q) RETURNING * INTO r;
    RETURN r.w;
END $$;

CREATE FUNCTION try_sql_insert_last(p int, q int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO t (k) VALUES (p)
$$;

CREATE FUNCTION try_sql_multi(p int, q int) RETURNS int LANGUAGE sql AS $$
    UPDATE t SET v = p WHERE k = q; SELECT count(*)::int FROM t WHERE v = p
$$;

CREATE FUNCTION try_sql_multi2(p int, q int) RETURNS int LANGUAGE sql AS $$
    SELECT k FROM t; UPDATE t SET v = 3 WHERE k = p RETURNING v
$$;

CREATE FUNCTION try_sql_upd(p int, q int) RETURNS int LANGUAGE sql AS $$
    UPDATE t SET v = 3 WHERE k = p RETURNING v
$$;

CREATE FUNCTION try_strict2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    UPDATE t SET v = 2 WHERE w = q RETURNING k INTO STRICT a;
    RETURN a;
END $$;

CREATE FUNCTION try_swap(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = w, w = coalesce(v, 0) WHERE k = p;
    RETURN 0;
END $$;

CREATE FUNCTION try_text2(z text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET s = z WHERE s IS NULL;
    RETURN z;
END $$;

CREATE FUNCTION try_upd_alias(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t AS m SET v = m.w + p WHERE m.k = q;
    RETURN 1;
END $$;

CREATE FUNCTION try_upd_self(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x boolean;
BEGIN
    UPDATE t SET v = (SELECT sum(v) FROM t x WHERE x.k <= t.k);
    RETURN 1;
END $$;

CREATE FUNCTION try_upd_sub(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = (SELECT max(v) FROM u WHERE u.t = t.k) WHERE k > p;
    RETURN 1;
END $$;

CREATE FUNCTION try_void(p int, q int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = 9;
    IF p > q THEN RETURN;
    END IF;
    UPDATE t SET v = 8;
END $$;
