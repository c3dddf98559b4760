CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION number(n int) RETURNS int LANGUAGE sql AS $$
  SELECT count(*)::int FROM duty WHERE on_call
$$;
CREATE FUNCTION same(a int DEFAULT number(1)) RETURNS int LANGUAGE sql AS $$ SELECT a $$;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT max(y) FROM (SELECT same() AS y) z) >= 2 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
