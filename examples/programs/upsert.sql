-- A counter that is made when it is first needed: ON CONFLICT reads and writes
-- in one statement.
CREATE TABLE hits (
    page integer PRIMARY KEY,
    n    integer NOT NULL
);

CREATE FUNCTION hit(p_page integer) RETURNS void LANGUAGE sql AS $$
    INSERT INTO hits VALUES (p_page, 1)
    ON CONFLICT (page) DO UPDATE SET n = hits.n + 1
$$;

CREATE FUNCTION read_hits(p_page integer) RETURNS integer LANGUAGE sql AS $$
    SELECT n FROM hits WHERE page = p_page
$$;
