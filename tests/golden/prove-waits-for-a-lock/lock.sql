CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION clear() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM t WHERE v > 1;
END $$;
CREATE FUNCTION raise_other(p int, q int) RETURNS int LANGUAGE plpgsql STRICT AS $$
DECLARE a int;
BEGIN
  SELECT v INTO a FROM t WHERE k = q FOR UPDATE;
  UPDATE t SET v = coalesce(a, 0) + 1 WHERE k = p;
  RETURN a;
END $$;
