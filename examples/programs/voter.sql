-- A phone may vote a few times.
CREATE TABLE contestant (
    id   integer PRIMARY KEY,
    name text NOT NULL
);
CREATE TABLE vote (
    id         serial PRIMARY KEY,
    phone      integer NOT NULL,
    contestant integer NOT NULL
);

CREATE FUNCTION cast_vote(p_phone integer, p_contestant integer)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    n integer;
BEGIN
    PERFORM 1 FROM contestant WHERE id = p_contestant;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT count(*) INTO n FROM vote WHERE phone = p_phone;
    IF n >= 2 THEN
        RETURN false;
    END IF;
    INSERT INTO vote (phone, contestant) VALUES (p_phone, p_contestant);
    RETURN true;
END $$;
