-- Two accounts of a customer may together not be overdrawn: write skew.
CREATE TABLE account (
    id      integer PRIMARY KEY,
    balance integer NOT NULL
);

CREATE FUNCTION withdraw(p_from integer, p_other integer, p_amount integer)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    a integer;
    b integer;
BEGIN
    SELECT balance INTO a FROM account WHERE id = p_from;
    SELECT balance INTO b FROM account WHERE id = p_other;
    IF a + b >= p_amount THEN
        UPDATE account SET balance = a - p_amount WHERE id = p_from;
        RETURN true;
    END IF;
    RETURN false;
END $$;
