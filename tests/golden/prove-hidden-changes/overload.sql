CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION abs(t text) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT count(*) FROM duty WHERE on_call $$;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
DECLARE n int; t text := 'x'; BEGIN n := abs(t); IF n >= 2 THEN UPDATE duty SET on_call = false WHERE id = who; END IF; END
$$;
