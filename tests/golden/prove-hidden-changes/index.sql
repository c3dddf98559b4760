CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION need(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF (SELECT count(*) FROM duty WHERE on_call) < 2 THEN RAISE EXCEPTION 'few'; END IF; RETURN n; END $$;
CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);
CREATE INDEX ON log (need(n));
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN INSERT INTO log VALUES (who, 1); UPDATE duty SET on_call = false WHERE id = who; END
$$;
