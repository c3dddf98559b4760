-- Each sets the bound that the other has looked at, in one row.
CREATE TABLE range (
    id   integer PRIMARY KEY,
    low  integer NOT NULL,
    high integer NOT NULL
);

CREATE FUNCTION set_low(p_id integer, p_low integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    h integer;
BEGIN
    SELECT high INTO h FROM range WHERE id = p_id;
    IF p_low < h THEN
        UPDATE range SET low = p_low WHERE id = p_id;
    END IF;
    RETURN h;
END $$;

CREATE FUNCTION set_high(p_id integer, p_high integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    l integer;
BEGIN
    SELECT low INTO l FROM range WHERE id = p_id;
    IF p_high > l THEN
        UPDATE range SET high = p_high WHERE id = p_id;
    END IF;
    RETURN l;
END $$;
