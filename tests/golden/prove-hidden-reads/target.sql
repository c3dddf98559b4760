CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION number(n int) RETURNS int LANGUAGE sql AS $$
  SELECT count(*)::int FROM duty WHERE on_call
$$;
CREATE FUNCTION place() RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int[];
BEGIN
  a[number(1)] := 1;
  RETURN array_lower(a, 1);
END $$;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF place() >= 2 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
