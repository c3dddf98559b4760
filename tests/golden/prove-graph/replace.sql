-- A row is replaced by deleting and inserting it. Whoever comes last wins, and
-- nobody has read anything.
CREATE TABLE setting (
    name  integer PRIMARY KEY,
    value integer NOT NULL
);

CREATE FUNCTION replace(p_name integer, p_value integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM setting WHERE name = p_name;
    INSERT INTO setting VALUES (p_name, p_value);
END $$;
