-- What test_interpreter runs here and on a server: constraints and defaults.
CREATE TABLE g1 (k int PRIMARY KEY, v int CHECK (v > 0));
CREATE TABLE g2 (k int PRIMARY KEY, v int, CHECK (v > k));
CREATE TABLE g3 (k int PRIMARY KEY, v int, CHECK (v > k OR v = 0));
CREATE TABLE g4 (k int PRIMARY KEY, up int REFERENCES g4);
CREATE TABLE g5 (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE h5 (k int PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES g5);
CREATE TABLE g6 (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE h6 (k int PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES g6 (b, a));
CREATE TABLE g7 (k int PRIMARY KEY DEFAULT 4, v int DEFAULT -2, w boolean DEFAULT true);
CREATE TABLE g8 (a int, b int);
CREATE TABLE g9 ("k K" int PRIMARY KEY, "V" int, v int);
CREATE TABLE g10 (k int PRIMARY KEY, v int, w int, UNIQUE (w, v));
CREATE TABLE g11 (k int PRIMARY KEY, v int, w int, UNIQUE (v, w));
CREATE TABLE g12 (k int PRIMARY KEY, v int UNIQUE);

CREATE FUNCTION try_check_conflict(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g1 VALUES (p, q) ON CONFLICT (k) DO UPDATE SET v = 5;
    RETURN 0;
END $$;

CREATE FUNCTION try_check_null(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g2 VALUES (p, q);
    RETURN 0;
END $$;

CREATE FUNCTION try_check_upd(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE g3 SET v = v - 1;
    RETURN 0;
END $$;

CREATE FUNCTION try_fk_self(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM g4 WHERE k > p;
    RETURN 0;
END $$;

CREATE FUNCTION try_fk_self_ins(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g4 VALUES (p, q), (q, p);
    RETURN 0;
END $$;

CREATE FUNCTION try_fk_simple(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO h5 VALUES (p, q, NULL);
    RETURN 0;
END $$;

CREATE FUNCTION try_fk_swap(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO h6 VALUES (p, q, 1);
    DELETE FROM g6 WHERE a = p;
    RETURN 0;
END $$;

CREATE FUNCTION try_ins_default_values(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g7 DEFAULT VALUES;
    RETURN 1;
END $$;

CREATE FUNCTION try_nokey(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g8 VALUES (p, q), (p, q);
    DELETE FROM g8 WHERE a = q;
    UPDATE g8 SET b = 3 WHERE a = 1;
    RETURN 1;
END $$;

CREATE FUNCTION try_quoted(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
    SELECT "V" INTO a FROM g9 WHERE "k K" = p;
    RETURN a;
END $$;

CREATE FUNCTION try_unique2(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g10 VALUES (p, q, 1);
    RETURN 0;
END $$;

CREATE FUNCTION try_unique_null(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO g11 VALUES (p, q, NULL);
    RETURN 0;
END $$;

CREATE FUNCTION try_unique_shift(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    UPDATE g12 SET v = v + 1;
    RETURN 0;
END $$;
