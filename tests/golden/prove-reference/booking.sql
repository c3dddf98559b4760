CREATE TABLE room (id integer PRIMARY KEY);
CREATE TABLE booking (
    id        serial PRIMARY KEY,
    room      integer NOT NULL REFERENCES room (id),
    first_day integer NOT NULL,
    last_day  integer NOT NULL,
    CHECK (first_day <= last_day)
);

CREATE FUNCTION book(p_room integer, p_first integer, p_last integer)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM booking WHERE room = p_room
               AND first_day <= p_last AND last_day >= p_first) THEN
        RETURN false;
    END IF;
    INSERT INTO booking (room, first_day, last_day)
        VALUES (p_room, p_first, p_last);
    RETURN true;
END $$;

CREATE FUNCTION close_room(p_room integer) RETURNS void LANGUAGE sql AS $$
    DELETE FROM room WHERE id = p_room
$$;
