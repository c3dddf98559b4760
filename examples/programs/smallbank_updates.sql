-- SmallBank in which transact_savings and amalgamate lock what they read before
-- they write it: for read committed, their reads and writes are one.
CREATE TABLE savings (
    customer integer PRIMARY KEY,
    balance  integer NOT NULL
);
CREATE TABLE checking (
    customer integer PRIMARY KEY,
    balance  integer NOT NULL
);

CREATE FUNCTION balance(p_c integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    s integer;
    c integer;
BEGIN
    SELECT balance INTO STRICT s FROM savings WHERE customer = p_c;
    SELECT balance INTO STRICT c FROM checking WHERE customer = p_c;
    RETURN s + c;
END $$;

CREATE FUNCTION deposit_checking(p_c integer, p_v integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_v < 0 THEN
        RAISE EXCEPTION 'a deposit is not negative';
    END IF;
    UPDATE checking SET balance = balance + p_v WHERE customer = p_c;
END $$;

CREATE FUNCTION transact_savings(p_c integer, p_v integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    s integer;
BEGIN
    SELECT balance INTO STRICT s FROM savings WHERE customer = p_c
        FOR UPDATE;
    IF s + p_v < 0 THEN
        RAISE EXCEPTION 'not enough';
    END IF;
    UPDATE savings SET balance = s + p_v WHERE customer = p_c;
END $$;

CREATE FUNCTION amalgamate(p_a integer, p_b integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    s integer;
    c integer;
BEGIN
    SELECT balance INTO STRICT s FROM savings WHERE customer = p_a
        FOR UPDATE;
    SELECT balance INTO STRICT c FROM checking WHERE customer = p_a
        FOR UPDATE;
    UPDATE savings SET balance = 0 WHERE customer = p_a;
    UPDATE checking SET balance = 0 WHERE customer = p_a;
    UPDATE checking SET balance = balance + s + c WHERE customer = p_b;
END $$;

CREATE FUNCTION write_check(p_c integer, p_v integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    s integer;
    c integer;
BEGIN
    SELECT balance INTO STRICT s FROM savings WHERE customer = p_c;
    SELECT balance INTO STRICT c FROM checking WHERE customer = p_c;
    IF s + c < p_v THEN
        UPDATE checking SET balance = c - p_v - 1 WHERE customer = p_c;
    ELSE
        UPDATE checking SET balance = c - p_v WHERE customer = p_c;
    END IF;
END $$;

CREATE FUNCTION send_payment(p_a integer, p_b integer, p_v integer)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    a integer;
    b integer;
BEGIN
    IF p_a = p_b THEN
        RETURN false;
    END IF;
    SELECT balance INTO STRICT a FROM checking WHERE customer = p_a;
    SELECT balance INTO STRICT b FROM checking WHERE customer = p_b;
    IF a < p_v THEN
        RETURN false;
    END IF;
    UPDATE checking SET balance = a - p_v WHERE customer = p_a;
    UPDATE checking SET balance = b + p_v WHERE customer = p_b;
    RETURN true;
END $$;
