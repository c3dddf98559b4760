CREATE TABLE seat (id int PRIMARY KEY, holder text);
CREATE FUNCTION take_seat(s int, h text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO seat VALUES (s, h);
  RETURN true;
EXCEPTION WHEN unique_violation THEN
  RETURN false;
END $$;
