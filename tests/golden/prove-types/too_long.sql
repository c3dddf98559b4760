-- The text does not fit, so nobody writes.
CREATE TABLE t (k int PRIMARY KEY, s varchar(3) NOT NULL);
CREATE FUNCTION f(p int, q int) RETURNS boolean LANGUAGE plpgsql STRICT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM t WHERE k = p AND s = 'abc') THEN
        UPDATE t SET s = 'abcd' WHERE k = q;
        RETURN true;
    END IF;
    RETURN false;
END $$;
