-- Between 0 and 1 there is no whole number, but there are amounts.
CREATE TABLE share (k int PRIMARY KEY, part numeric NOT NULL);
CREATE FUNCTION f(p int, q int) RETURNS boolean LANGUAGE plpgsql STRICT AS $$
DECLARE x numeric;
BEGIN
    SELECT part INTO x FROM share WHERE k = p;
    IF x > 0 AND x < 1 THEN
        UPDATE share SET part = 5 WHERE k = q;
        RETURN true;
    END IF;
    RETURN false;
END $$;
