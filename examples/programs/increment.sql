-- One statement reads and writes: an update that waits adds to the new value.
CREATE TABLE counter (
    id integer PRIMARY KEY,
    n  integer NOT NULL
);

CREATE FUNCTION increment(p_id integer) RETURNS void LANGUAGE sql AS $$
    UPDATE counter SET n = n + 1 WHERE id = p_id
$$;
