CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION n() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT count(*) FROM duty WHERE on_call AND id = 1 $$;
CREATE FUNCTION look(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE duty SET on_call = on_call WHERE id = 1; RETURN n(); END $$;
CREATE FUNCTION flip() RETURNS void LANGUAGE sql AS $$ UPDATE duty SET on_call = NOT on_call WHERE id = 1 $$;
