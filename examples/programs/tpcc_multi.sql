-- TPC-C, reduced to what makes transactions depend on each other; a delivery
-- serves several districts in one transaction, which snapshot isolation does not
-- forgive.
CREATE TABLE warehouse (
    w   integer PRIMARY KEY,
    tax integer NOT NULL,
    ytd integer NOT NULL
);
CREATE TABLE district (
    w      integer,
    d      integer,
    tax    integer NOT NULL,
    next_o integer NOT NULL,
    ytd    integer NOT NULL,
    PRIMARY KEY (w, d)
);
CREATE TABLE customer (
    w        integer,
    d        integer,
    c        integer,
    discount integer NOT NULL,
    balance  integer NOT NULL,
    payments integer NOT NULL,
    PRIMARY KEY (w, d, c)
);
CREATE TABLE orders (
    w       integer,
    d       integer,
    o       integer,
    c       integer NOT NULL,
    carrier integer,
    PRIMARY KEY (w, d, o)
);
CREATE TABLE new_order (
    w integer,
    d integer,
    o integer,
    PRIMARY KEY (w, d, o)
);
CREATE TABLE order_line (
    w         integer,
    d         integer,
    o         integer,
    i         integer NOT NULL,
    amount    integer NOT NULL,
    delivered integer,
    PRIMARY KEY (w, d, o)
);
CREATE TABLE stock (
    w        integer,
    i        integer,
    quantity integer NOT NULL,
    PRIMARY KEY (w, i)
);
CREATE TABLE item (
    i     integer PRIMARY KEY,
    price integer NOT NULL
);


CREATE FUNCTION make_order(p_w integer, p_d integer, p_c integer, p_i integer,
                           p_n integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    t integer;
    o integer;
    s integer;
    q integer;
    v integer;
BEGIN
    SELECT tax INTO STRICT t FROM warehouse WHERE w = p_w;
    SELECT next_o, tax INTO STRICT o, t FROM district
        WHERE w = p_w AND d = p_d;
    UPDATE district SET next_o = district.next_o + 1
        WHERE w = p_w AND d = p_d;
    SELECT discount INTO STRICT s FROM customer
        WHERE w = p_w AND d = p_d AND c = p_c;
    INSERT INTO orders VALUES (p_w, p_d, o, p_c, NULL);
    INSERT INTO new_order VALUES (p_w, p_d, o);
    SELECT price INTO STRICT v FROM item WHERE i = p_i;
    SELECT quantity INTO STRICT q FROM stock WHERE w = p_w AND i = p_i;
    IF q >= p_n + 10 THEN
        UPDATE stock SET quantity = q - p_n WHERE w = p_w AND i = p_i;
    ELSE
        UPDATE stock SET quantity = q - p_n + 91 WHERE w = p_w AND i = p_i;
    END IF;
    INSERT INTO order_line VALUES (p_w, p_d, o, p_i, v, NULL);
    RETURN o;
END $$;

CREATE FUNCTION payment(p_w integer, p_d integer, p_c integer, p_amount integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE warehouse SET ytd = ytd + p_amount WHERE w = p_w;
    UPDATE district SET ytd = ytd + p_amount WHERE w = p_w AND d = p_d;
    UPDATE customer SET balance = balance - p_amount, payments = payments + 1
        WHERE w = p_w AND d = p_d AND c = p_c;
END $$;

CREATE FUNCTION order_status(p_w integer, p_d integer, p_c integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    b integer;
    m integer;
    k integer;
    a integer;
BEGIN
    SELECT balance INTO STRICT b FROM customer
        WHERE w = p_w AND d = p_d AND c = p_c;
    SELECT max(o) INTO m FROM orders WHERE w = p_w AND d = p_d AND c = p_c;
    IF m IS NULL THEN
        RETURN b;
    END IF;
    SELECT carrier INTO STRICT k FROM orders
        WHERE w = p_w AND d = p_d AND o = m;
    SELECT delivered INTO a FROM order_line
        WHERE w = p_w AND d = p_d AND o = m;
    RETURN b;
END $$;

CREATE FUNCTION delivery(p_w integer, p_carrier integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    m integer;
    k integer;
    a integer;
    n integer := 0;
    r record;
BEGIN
    FOR r IN SELECT d FROM district WHERE w = p_w LOOP
        SELECT min(o) INTO m FROM new_order WHERE w = p_w AND d = r.d;
        CONTINUE WHEN m IS NULL;
        DELETE FROM new_order WHERE w = p_w AND d = r.d AND o = m;
        SELECT c INTO STRICT k FROM orders
            WHERE w = p_w AND d = r.d AND o = m;
        UPDATE orders SET carrier = p_carrier
            WHERE w = p_w AND d = r.d AND o = m;
        UPDATE order_line SET delivered = p_carrier
            WHERE w = p_w AND d = r.d AND o = m;
        SELECT sum(amount) INTO a FROM order_line
            WHERE w = p_w AND d = r.d AND o = m;
        UPDATE customer SET balance = balance + a
            WHERE w = p_w AND d = r.d AND c = k;
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

CREATE FUNCTION stock_level(p_w integer, p_d integer, p_threshold integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    n integer;
    m integer;
BEGIN
    SELECT next_o INTO STRICT n FROM district WHERE w = p_w AND d = p_d;
    SELECT count(DISTINCT s.i) INTO m
        FROM order_line l JOIN stock s ON s.w = l.w AND s.i = l.i
        WHERE l.w = p_w AND l.d = p_d AND l.o < n AND l.o >= n - 20
            AND s.quantity < p_threshold;
    RETURN m;
END $$;
