-- A loop over rows that others add to: at read committed the total and the
-- rows are of different moments.
CREATE TABLE worker (
    id   integer PRIMARY KEY,
    pay  integer NOT NULL
);
CREATE TABLE paid (
    worker integer PRIMARY KEY,
    amount integer NOT NULL
);

CREATE FUNCTION pay_all() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    w record;
    total bigint;
BEGIN
    SELECT sum(pay) INTO total FROM worker;
    FOR w IN SELECT id, pay FROM worker LOOP
        INSERT INTO paid VALUES (w.id, w.pay);
    END LOOP;
    RETURN total;
END $$;

CREATE FUNCTION hire(p_id integer, p_pay integer) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO worker VALUES (p_id, p_pay)
$$;
