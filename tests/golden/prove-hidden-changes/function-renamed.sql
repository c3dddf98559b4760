CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION e2(n int) RETURNS boolean LANGUAGE sql AS $$ SELECT count(*) >= 2 FROM duty WHERE on_call $$;
CREATE FUNCTION enough(n int) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
ALTER FUNCTION enough(int) RENAME TO e3;
ALTER FUNCTION e2(int) RENAME TO enough;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN IF (SELECT bool_and(enough(x)) FROM generate_series(1,1) x) THEN UPDATE duty SET on_call = false WHERE id = who; END IF; END
$$;
