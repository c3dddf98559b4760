-- Two reservations read what is left and take from it. Who finds too little
-- fails: that transaction is no part of any execution. Compare refuse_return.
CREATE TABLE stock (
    id   integer PRIMARY KEY,
    n    integer NOT NULL CHECK (n >= 0)
);

CREATE FUNCTION reserve(p_id integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM stock WHERE id = p_id AND n > 0;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nothing left';
    END IF;
    UPDATE stock SET n = n - 1 WHERE id = p_id;
    RETURN true;
END $$;
