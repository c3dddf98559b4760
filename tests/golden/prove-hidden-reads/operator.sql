CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION enough(a int, b int) RETURNS boolean LANGUAGE sql AS $$
  SELECT count(*) >= 2 FROM duty WHERE on_call
$$;
CREATE OPERATOR === (leftarg = int, rightarg = int, function = enough);
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT bool_and(x.a === 1) FROM (VALUES (1)) x(a)) THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
