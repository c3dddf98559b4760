CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION others() RETURNS SETOF int LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT count(*)::int FROM duty WHERE on_call';
END $$;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT max(o) FROM others() o) >= 2 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
