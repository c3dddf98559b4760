-- A withdrawal reads the balance and writes it back.
CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);

CREATE FUNCTION withdraw(p_id integer, p_amount integer) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
DECLARE
    b integer;
BEGIN
    SELECT balance INTO b FROM account WHERE id = p_id;
    IF b > p_amount THEN
        UPDATE account SET balance = b - p_amount WHERE id = p_id;
        RETURN true;
    END IF;
    RETURN false;
END $$;
