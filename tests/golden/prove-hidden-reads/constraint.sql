CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION enough(n int) RETURNS boolean LANGUAGE sql AS $$
  SELECT count(*) >= 2 FROM duty WHERE on_call
$$;
CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL CHECK (enough(n)));
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE log SET n = 5 WHERE id = who;
  UPDATE duty SET on_call = false WHERE id = who;
END $$;
