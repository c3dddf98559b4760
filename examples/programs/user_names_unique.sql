-- The same with a constraint, which decides: of two transactions that insert a
-- name one fails.
CREATE TABLE account (
    id   serial PRIMARY KEY,
    name text NOT NULL UNIQUE
);

CREATE FUNCTION register(p_name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM account WHERE name = p_name;
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO account (name) VALUES (p_name);
    RETURN true;
END $$;
