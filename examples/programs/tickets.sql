-- Keys that the database generates are different, so that two inserts never
-- meet; but the rows count for whoever limits their number.
CREATE TABLE ticket (
    id    serial PRIMARY KEY,
    show  integer NOT NULL
);

CREATE FUNCTION sell(p_show integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    sold bigint;
    t    integer;
BEGIN
    SELECT count(*) INTO sold FROM ticket WHERE show = p_show;
    IF sold >= p_limit THEN
        RETURN NULL;
    END IF;
    INSERT INTO ticket (show) VALUES (p_show) RETURNING id INTO t;
    RETURN t;
END $$;
