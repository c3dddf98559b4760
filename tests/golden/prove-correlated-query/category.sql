CREATE TABLE category (id integer PRIMARY KEY);
CREATE TABLE item (id integer PRIMARY KEY, category integer NOT NULL);

CREATE FUNCTION drop_empty() RETURNS void LANGUAGE sql AS $$
    DELETE FROM category
    WHERE NOT EXISTS (SELECT FROM item WHERE item.category = category.id)
$$;

CREATE FUNCTION add_item(p_id integer, p_category integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF p_category NOT IN (SELECT id FROM category) THEN
        RETURN false;
    END IF;
    INSERT INTO item VALUES (p_id, p_category);
    RETURN true;
END $$;
