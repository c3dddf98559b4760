-- Values are set and read; a missing row is inserted.
CREATE TABLE setting (
    name  text PRIMARY KEY,
    value integer
);

CREATE FUNCTION set_value(p_name text, p_value integer) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO setting VALUES (p_name, p_value)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
$$;

CREATE FUNCTION get_value(p_name text) RETURNS integer LANGUAGE sql AS $$
    SELECT coalesce(value, 0) FROM setting WHERE name = p_name
$$;
