CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL UNIQUE);
CREATE FUNCTION add(p int, q int) RETURNS void LANGUAGE plpgsql STRICT AS $$
BEGIN
  INSERT INTO u VALUES (p, q);
  UPDATE u SET v = 1 WHERE k = p;
END $$;
CREATE FUNCTION copy(p int, q int) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE a int;
BEGIN
  SELECT v INTO a FROM u WHERE k = p;
  UPDATE u SET v = coalesce(a, 0) WHERE v = q;
END $$;
