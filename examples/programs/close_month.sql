-- A loop adds up what others may still be writing.
CREATE TABLE entry (
    id     integer PRIMARY KEY,
    amount integer NOT NULL
);
CREATE TABLE total (
    month  integer PRIMARY KEY,
    amount integer NOT NULL
);

CREATE FUNCTION close_month(p_month integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    t integer := 0;
    e record;
BEGIN
    FOR e IN SELECT amount FROM entry LOOP
        t := t + e.amount;
    END LOOP;
    INSERT INTO total VALUES (p_month, t);
    RETURN t;
END $$;

CREATE FUNCTION add_entry(p_month integer, p_id integer, p_amount integer)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM total WHERE month = p_month) THEN
        RETURN false;
    END IF;
    INSERT INTO entry VALUES (p_id, p_amount);
    RETURN true;
END $$;
