CREATE TABLE a (id int PRIMARY KEY, x int);
CREATE FUNCTION f(i int, j int, z int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v int;
BEGIN
    SELECT x INTO STRICT v FROM a WHERE id = i;
    IF coalesce(v, 1 / z) = 5 AND z = 0 THEN
        UPDATE a SET x = 3 WHERE id = j;
    END IF;
END $$;
