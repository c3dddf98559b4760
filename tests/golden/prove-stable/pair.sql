CREATE TABLE cell (id integer PRIMARY KEY, v integer NOT NULL);

CREATE FUNCTION copy_second() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    x integer;
BEGIN
    SELECT v INTO STRICT x FROM cell WHERE id = 2;
    UPDATE cell SET v = x WHERE id = 1;
END $$;

CREATE FUNCTION set_second(p integer) RETURNS void LANGUAGE sql AS $$
    UPDATE cell SET v = p WHERE id = 2
$$;

CREATE FUNCTION get_both() RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    a integer;
    b integer;
BEGIN
    SELECT v INTO STRICT a FROM cell WHERE id = 1;
    SELECT v INTO STRICT b FROM cell WHERE id = 2;
    RETURN a * 100 + b;
END $$;
