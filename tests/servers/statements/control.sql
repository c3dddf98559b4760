-- What test_interpreter runs here and on a server: control.
CREATE TABLE t (k int PRIMARY KEY, v int, w int NOT NULL DEFAULT 7, b boolean, s text);
CREATE TABLE u (k int PRIMARY KEY, v int, t int REFERENCES t (k));

CREATE FUNCTION try_case3(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    CASE p WHEN 1, 2 THEN a := 5;
    WHEN 3 THEN a := 6;
    ELSE a := 7;
    END CASE;
    RETURN a;
END $$;

CREATE FUNCTION try_case4(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    CASE WHEN p > 1 THEN a := 5;
    WHEN q > 0 THEN a := 6;
    END CASE;
    RETURN a;
END $$;

CREATE FUNCTION try_distinct(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; r record;
BEGIN
    a := 0;
    FOR r IN SELECT DISTINCT w FROM t LOOP a := a + r.w;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_elsif(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    IF p > 2 THEN a := 1;
    ELSIF p > q THEN a := 2;
    ELSIF q > 3 THEN a := 3;
    ELSE a := 4;
    END IF;
    RETURN a;
END $$;

CREATE FUNCTION try_exit_in_if(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 0;
    LOOP a := a + 1;
    IF a > 3 THEN EXIT;
    END IF;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_for_assign(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 0;
    FOR i IN 1..3 LOOP a := a * 10 + i;
    i := i + 1;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_for_by(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 0;
    FOR i IN p..q BY 2 LOOP a := a * 10 + i;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_for_empty(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    a := 5;
    FOR a IN SELECT v FROM t WHERE k = p LOOP c := a;
    END LOOP;
    RETURN coalesce(a, 99);
END $$;

CREATE FUNCTION try_for_empty2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE c int; r record;
BEGIN
    SELECT k, v INTO r FROM t ORDER BY k LIMIT 1;
    FOR r IN SELECT k, v FROM t WHERE k = p LOOP c := 1;
    END LOOP;
    RETURN coalesce(r.k, 99);
END $$;

CREATE FUNCTION try_for_exit(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE c int; r record;
BEGIN
    FOR r IN SELECT k, v FROM t ORDER BY k LOOP CONTINUE WHEN r.v IS NULL;
    EXIT WHEN r.v > p;
    c := r.k;
    END LOOP;
    RETURN c * 10 + r.k;
END $$;

CREATE FUNCTION try_for_nested(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 0;
    FOR i IN 1..2 LOOP FOR i IN 1..2 LOOP a := a + i;
    END LOOP;
    a := a + 10 * i;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_for_rev(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := 0;
    FOR i IN REVERSE p..q LOOP a := a * 10 + i;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_found5(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    FOR i IN 1..p LOOP a := i;
    END LOOP;
    IF FOUND THEN RETURN a;
    END IF;
    RETURN -1;
END $$;

CREATE FUNCTION try_found6(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT max(v) INTO a FROM t WHERE k > p;
    IF FOUND THEN RETURN 1;
    END IF;
    RETURN -1;
END $$;

CREATE FUNCTION try_inner_block(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    BEGIN a := p;
    END;
    <<lab>> BEGIN c := q;
    END;
    RETURN a + c;
END $$;

CREATE FUNCTION try_loop(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    a := p;
    LOOP a := a + 1;
    EXIT WHEN a > q OR a IS NULL;
    END LOOP;
    RETURN a;
END $$;

CREATE FUNCTION try_raise_info(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x boolean; z text;
BEGIN
    RAISE INFO 'x';
    RAISE DEBUG 'y';
    RAISE LOG 'x';
    RAISE WARNING 'z';
    RETURN 1;
END $$;

CREATE FUNCTION try_rq(p int, q int) RETURNS TABLE (m int, n int) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT k, v FROM t WHERE k > p;
    RETURN QUERY SELECT k, t FROM u;
    IF NOT FOUND THEN RETURN QUERY SELECT 1, 2;
    END IF;
    RETURN;
END $$;

CREATE FUNCTION try_setfound(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    found := true;
    IF FOUND THEN RETURN 1;
    END IF;
    RETURN 2;
END $$;

CREATE FUNCTION try_while(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; c int;
BEGIN
    a := p;
    c := 0;
    WHILE a < q LOOP a := a + 1;
    IF a = 2 THEN CONTINUE;
    END IF;
    c := c + a;
    END LOOP;
    RETURN c;
END $$;
