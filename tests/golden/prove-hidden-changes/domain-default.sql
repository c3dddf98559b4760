CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION enough(n int) RETURNS boolean LANGUAGE sql AS $$ SELECT count(*) >= 2 FROM duty WHERE on_call $$;
CREATE DOMAIN dd AS boolean;
ALTER DOMAIN dd SET DEFAULT enough(1);
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
DECLARE b dd; BEGIN IF b THEN UPDATE duty SET on_call = false WHERE id = who; END IF; END
$$;
