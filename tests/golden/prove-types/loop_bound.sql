-- The bounds of a loop are rounded: up to 0.5 is up to 1.
CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL);
CREATE FUNCTION f(i int, j int, s numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF s * 2 <> 1 THEN
        RAISE EXCEPTION 'half';
    END IF;
    FOR k IN 1..s LOOP
        IF (SELECT x FROM a WHERE id = i) = 1 THEN
            UPDATE a SET x = 2 WHERE id = j;
        END IF;
    END LOOP;
END $$;
