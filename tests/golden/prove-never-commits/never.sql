CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION never(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET v = 1 WHERE k = p;
  IF p > 0 THEN
    RAISE EXCEPTION 'positive';
  ELSE
    RAISE EXCEPTION 'not positive';
  END IF;
END $$;
