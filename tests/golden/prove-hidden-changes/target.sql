CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE a int[];
BEGIN
  a[(SELECT count(*) FROM duty WHERE on_call)] := 1;
  IF a[2] = 1 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
