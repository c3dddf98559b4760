-- A parent without children is deleted while a child is added; a foreign key
-- keeps them apart.
CREATE TABLE parent (
    id integer PRIMARY KEY
);
CREATE TABLE child (
    id     serial PRIMARY KEY,
    parent integer NOT NULL REFERENCES parent (id)
);

CREATE FUNCTION add_child(p_parent integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM parent WHERE id = p_parent;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO child (parent) VALUES (p_parent);
    RETURN true;
END $$;

CREATE FUNCTION remove_parent(p_parent integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM child WHERE parent = p_parent;
    IF FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM parent WHERE id = p_parent;
    RETURN true;
END $$;
