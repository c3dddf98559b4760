-- The server looks for the key first, so a row with 0 elsewhere is no error.
CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL);
CREATE FUNCTION f(i int, j int, z int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v int;
BEGIN
    SELECT x INTO STRICT v FROM a WHERE 10 / x = 5 AND id = i;
    IF (SELECT x FROM a WHERE id = z) = 0 THEN
        UPDATE a SET x = 3 WHERE id = j;
    END IF;
END $$;
