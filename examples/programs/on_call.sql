-- At least one doctor stays on call: counting rows that others change.
CREATE TABLE doctor (
    id      integer PRIMARY KEY,
    on_call boolean NOT NULL
);

CREATE FUNCTION go_off_call(p_id integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    n integer;
BEGIN
    SELECT count(*) INTO n FROM doctor WHERE on_call;
    IF n < 2 THEN
        RETURN false;
    END IF;
    UPDATE doctor SET on_call = false WHERE id = p_id;
    RETURN true;
END $$;
