CREATE TABLE doc (id int PRIMARY KEY, version int NOT NULL, body text);
CREATE FUNCTION save(d int, b text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT version INTO v FROM doc WHERE id = d;
  UPDATE doc SET body = b, version = v + 1 WHERE id = d AND version = v;
END $$;
