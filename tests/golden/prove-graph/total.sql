-- Whoever moves points to itself reads the total, which never changes.
CREATE TABLE player (
    id     integer PRIMARY KEY,
    points integer NOT NULL
);

CREATE FUNCTION touch(p_id integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
BEGIN
    SELECT sum(points) INTO total FROM player;
    UPDATE player SET points = points + 1 WHERE id = p_id;
    UPDATE player SET points = points - 1 WHERE id = p_id;
    RETURN total;
END $$;
