-- At most two rows for a number: no constraint says that.
CREATE TABLE vote (id serial PRIMARY KEY, phone integer NOT NULL);

CREATE FUNCTION cast_vote(p_phone integer) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
DECLARE
    n integer;
BEGIN
    SELECT count(*) INTO n FROM vote WHERE phone = p_phone;
    IF n >= 2 THEN
        RETURN false;
    END IF;
    INSERT INTO vote (phone) VALUES (p_phone);
    RETURN true;
END $$;
