-- Who counts rows does not see what is in them: each transaction reads a table
-- that the other one changes, and the count is always the same.
CREATE TABLE item (
    id    integer PRIMARY KEY,
    place integer NOT NULL
);

CREATE FUNCTION move(p_id integer, p_place integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    SELECT count(*) INTO n FROM item;
    UPDATE item SET place = p_place WHERE id = p_id;
    RETURN n;
END $$;
