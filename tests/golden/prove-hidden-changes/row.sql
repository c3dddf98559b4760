CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION leave(who int, n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF ROW(n) IS NULL AND (SELECT count(*) FROM duty WHERE on_call) >= 2 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
