-- Auctions: bids, purchases at a fixed price, and closing an auction.
CREATE TABLE item (
    id       integer PRIMARY KEY,
    max_bid  integer NOT NULL,
    bids     integer NOT NULL,
    quantity integer NOT NULL,
    closed   boolean NOT NULL,
    winner   integer
);
CREATE TABLE bid (
    id     serial PRIMARY KEY,
    item   integer NOT NULL,
    amount integer NOT NULL
);

CREATE FUNCTION store_bid(p_item integer, p_amount integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    i item%ROWTYPE;
BEGIN
    SELECT * INTO STRICT i FROM item WHERE id = p_item;
    IF i.closed THEN
        RETURN false;
    END IF;
    INSERT INTO bid (item, amount) VALUES (p_item, p_amount);
    IF p_amount > i.max_bid THEN
        UPDATE item SET max_bid = p_amount, bids = i.bids + 1
            WHERE id = p_item;
    END IF;
    RETURN true;
END $$;

CREATE FUNCTION store_buy_now(p_item integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    q integer;
    c boolean;
BEGIN
    SELECT quantity, closed INTO STRICT q, c FROM item WHERE id = p_item;
    IF c OR q <= 0 THEN
        RETURN false;
    END IF;
    UPDATE item SET quantity = q - 1 WHERE id = p_item;
    RETURN true;
END $$;

CREATE FUNCTION close_auction(p_item integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    m integer;
BEGIN
    SELECT max(amount) INTO m FROM bid WHERE item = p_item;
    UPDATE item SET closed = true, winner = m WHERE id = p_item;
    RETURN m;
END $$;

CREATE FUNCTION view_item(p_item integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    m integer;
BEGIN
    SELECT max_bid INTO m FROM item WHERE id = p_item;
    RETURN m;
END $$;

CREATE FUNCTION view_bid_history(p_item integer) RETURNS SETOF integer
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT b.amount FROM bid b WHERE b.item = p_item;
END $$;
