CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE more (id int PRIMARY KEY, on_call boolean NOT NULL);
ALTER TABLE more INHERIT duty;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN IF (SELECT count(*) FROM duty WHERE on_call) >= 2 THEN UPDATE more SET on_call = false WHERE id = who; END IF; END
$$;
