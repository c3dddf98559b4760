CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM duty WHERE on_call) >= 2 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
CREATE FUNCTION leave(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; END $$;
CREATE FUNCTION look(a int) RETURNS boolean LANGUAGE sql AS $$ SELECT on_call FROM duty WHERE id = a $$;
DROP FUNCTION leave(text);
