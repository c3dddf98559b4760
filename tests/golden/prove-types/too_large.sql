-- No number is that large: PostgreSQL fails before anything is written.
CREATE TABLE t (k int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION f(p int, q int) RETURNS boolean LANGUAGE plpgsql STRICT AS $$
DECLARE x int;
BEGIN
    SELECT n INTO x FROM t WHERE k = p;
    IF x > 2000000000 AND x + x > 0 THEN
        UPDATE t SET n = 5 WHERE k = q;
        RETURN true;
    END IF;
    RETURN false;
END $$;
