CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE v (id int, on_call boolean);
CREATE RULE "_RETURN" AS ON SELECT TO v DO INSTEAD SELECT * FROM duty WHERE on_call;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN IF (SELECT count(*) FROM v) >= 2 THEN UPDATE duty SET on_call = false WHERE id = who; END IF; END
$$;
