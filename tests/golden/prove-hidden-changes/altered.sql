CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION look(a int, b int) RETURNS int LANGUAGE plpgsql STABLE AS $$ DECLARE x int; y int; BEGIN SELECT count(*) INTO x FROM duty WHERE id = a AND on_call; SELECT count(*) INTO y FROM duty WHERE id = b AND on_call; RETURN x * 10 + y; END $$;
ALTER FUNCTION look(int,int) VOLATILE;
CREATE FUNCTION flip(who int) RETURNS void LANGUAGE sql AS $$ UPDATE duty SET on_call = NOT on_call WHERE id = who $$;
