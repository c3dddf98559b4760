-- The two transactions of TPC-C that most of its load is made of, with every
-- read that is written back as a part of the UPDATE.  They are serializable at
-- read committed; as tpcc.sql has them they lose updates there.
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
    v integer;
BEGIN
    SELECT tax INTO STRICT t FROM warehouse WHERE w = p_w;
    UPDATE district SET next_o = district.next_o + 1
        WHERE w = p_w AND d = p_d RETURNING next_o - 1, tax INTO STRICT o, t;
    SELECT discount INTO STRICT s FROM customer
        WHERE w = p_w AND d = p_d AND c = p_c;
    INSERT INTO orders VALUES (p_w, p_d, o, p_c, NULL);
    INSERT INTO new_order VALUES (p_w, p_d, o);
    SELECT price INTO STRICT v FROM item WHERE i = p_i;
    UPDATE stock SET quantity = CASE WHEN quantity >= p_n + 10
        THEN quantity - p_n ELSE quantity - p_n + 91 END
        WHERE w = p_w AND i = p_i;
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

