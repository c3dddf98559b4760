-- A seat without a holder is NULL, which is equal to nothing: not even two
-- callers without a name take it from each other.
CREATE TABLE seat (
    id     integer PRIMARY KEY,
    holder integer
);

CREATE FUNCTION take(p_id integer, p_who integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    h integer;
BEGIN
    SELECT holder INTO h FROM seat WHERE id = p_id;
    IF h = p_who OR h IS NOT NULL THEN
        RETURN false;
    END IF;
    UPDATE seat SET holder = p_who WHERE id = p_id;
    RETURN true;
END $$;
