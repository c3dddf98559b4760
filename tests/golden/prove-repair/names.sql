-- A name is looked for before it is inserted.
CREATE TABLE member (id serial PRIMARY KEY, name text NOT NULL);

CREATE FUNCTION register(p_name text) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM member WHERE name = p_name) THEN
        RETURN false;
    END IF;
    INSERT INTO member (name) VALUES (p_name);
    RETURN true;
END $$;
