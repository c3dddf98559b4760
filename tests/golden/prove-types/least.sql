-- The least integer is an integer, so v - -2147483648 is too large for v = 0.
CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL);
CREATE FUNCTION f(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v int;
BEGIN
    SELECT x INTO STRICT v FROM a WHERE id = i;
    IF v >= 0 AND v - -2147483648 > 0 THEN
        UPDATE a SET x = -1 WHERE id = j;
    END IF;
END $$;
