CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE one (id int PRIMARY KEY);
CREATE FUNCTION others(o one) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT count(*) FROM duty WHERE on_call $$;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN IF (SELECT max((o).others) FROM one o) >= 2 THEN UPDATE duty SET on_call = false WHERE id = who; END IF; END
$$;
