CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF (SELECT count(*) FROM duty WHERE on_call) < 2 THEN RAISE EXCEPTION 'x'; END IF; RETURN NEW; END $$;
CREATE FUNCTION install(n text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('CREATE TRIGGER tr BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION t()', n); END $$;
SELECT install('duty');
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN UPDATE duty SET on_call = false WHERE id = who; END
$$;
