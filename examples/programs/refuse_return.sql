-- As refuse_raise, but who finds too little says so and commits, and there is
-- a second shelf to look at: a refusal is something that others can contradict.
CREATE TABLE stock (
    id   integer PRIMARY KEY,
    n    integer NOT NULL CHECK (n >= 0)
);

CREATE FUNCTION reserve(p_id integer, p_other integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM stock WHERE id = p_other AND n > 0;
    IF NOT FOUND THEN
        UPDATE stock SET n = n + 1 WHERE id = p_id;
        RETURN false;
    END IF;
    UPDATE stock SET n = n - 1 WHERE id = p_id;
    RETURN true;
END $$;
