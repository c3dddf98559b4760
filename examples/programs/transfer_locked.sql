-- Money moves between two accounts that are locked first.
CREATE TABLE account (
    id      integer PRIMARY KEY,
    balance integer NOT NULL
);

CREATE FUNCTION transfer(p_from integer, p_to integer, p_amount integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    a integer;
    b integer;
BEGIN
    IF p_from = p_to THEN
        RAISE EXCEPTION 'two accounts are expected';
    END IF;
    SELECT balance INTO STRICT a FROM account WHERE id = p_from FOR UPDATE;
    SELECT balance INTO STRICT b FROM account WHERE id = p_to FOR UPDATE;
    UPDATE account SET balance = a - p_amount WHERE id = p_from;
    UPDATE account SET balance = b + p_amount WHERE id = p_to;
END $$;
