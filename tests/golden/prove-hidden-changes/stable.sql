CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION n() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN (SELECT count(*) FROM duty WHERE on_call); END $$;
CREATE FUNCTION look() RETURNS bigint LANGUAGE plpgsql STABLE AS $$ DECLARE a bigint; b bigint; BEGIN a := n(); b := n(); RETURN a - b; END $$;
CREATE FUNCTION flip(who int) RETURNS void LANGUAGE sql AS $$ UPDATE duty SET on_call = NOT on_call WHERE id = who $$;
