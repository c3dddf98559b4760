-- A room is booked for a day unless it is taken.
CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL, day date NOT NULL);
CREATE FUNCTION book(p_room int, p_day date) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
BEGIN
    IF p_day < current_date OR EXISTS (SELECT 1 FROM booking WHERE room = p_room AND day = p_day) THEN
        RETURN false;
    END IF;
    INSERT INTO booking (room, day) VALUES (p_room, p_day);
    RETURN true;
END $$;
