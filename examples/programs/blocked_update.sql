-- An update that waits chooses its rows before the wait: at read committed a
-- row that matches only afterwards is left out.
CREATE TABLE counter (
    id integer PRIMARY KEY,
    n  integer NOT NULL
);

CREATE FUNCTION finish(p_n integer) RETURNS void LANGUAGE sql AS $$
    UPDATE counter SET n = n + 10 WHERE n = p_n
$$;

CREATE FUNCTION step_all() RETURNS void LANGUAGE sql AS $$
    UPDATE counter SET n = n + 1
$$;
