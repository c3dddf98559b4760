CREATE SCHEMA a; CREATE SCHEMA b;
CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE OR REPLACE FUNCTION a.leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM duty WHERE on_call) >= 2 THEN
    UPDATE duty SET on_call = false WHERE id = who;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION b.leave(who int) RETURNS void LANGUAGE sql AS $$ UPDATE duty SET on_call = true WHERE id = who $$;
