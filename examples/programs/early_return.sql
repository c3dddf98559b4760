-- A transaction that finds its work done returns before it writes: what it
-- reads afterwards only matters where it goes on.
CREATE TABLE task (
    id   integer PRIMARY KEY,
    done boolean NOT NULL
);
CREATE TABLE total (
    id integer PRIMARY KEY,
    n  integer NOT NULL
);

CREATE FUNCTION finish(p_id integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    was boolean;
BEGIN
    SELECT done INTO was FROM task WHERE id = p_id FOR UPDATE;
    IF NOT FOUND OR was THEN
        RETURN false;
    END IF;
    UPDATE task SET done = true WHERE id = p_id;
    UPDATE total SET n = n + 1 WHERE id = 1;
    RETURN true;
END $$;
