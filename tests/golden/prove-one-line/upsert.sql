CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION f(p int, q int) RETURNS int LANGUAGE plpgsql STRICT AS $$
DECLARE a int;
BEGIN
    SELECT v INTO a FROM t WHERE k = p;
    INSERT INTO t VALUES (p, q) ON CONFLICT (k) DO UPDATE SET v = t.v + excluded.v;
    RETURN a;
END $$;
