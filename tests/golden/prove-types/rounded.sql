-- What is read again is rounded: an amount of 0.4 is 0 then.
CREATE TABLE share (k int PRIMARY KEY, part numeric(5) NOT NULL);
CREATE FUNCTION f(p int, q int, amount numeric) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
DECLARE x numeric(5) := amount;
BEGIN
    IF amount > 0 AND x = 0 THEN
        IF EXISTS (SELECT 1 FROM share WHERE k = p AND part = 1) THEN
            UPDATE share SET part = 5 WHERE k = q;
            RETURN true;
        END IF;
    END IF;
    RETURN false;
END $$;
