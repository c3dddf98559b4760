-- A row with 0 is filled, and 1 / 0 is never evaluated.
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION fill(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    b int;
BEGIN
    SELECT balance INTO STRICT b FROM account WHERE id = i;
    IF b = 0 OR 1 / b > 2 THEN
        UPDATE account SET balance = 10 WHERE id = j;
    END IF;
END $$;
