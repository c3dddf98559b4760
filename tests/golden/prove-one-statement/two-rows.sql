CREATE TABLE account (id int PRIMARY KEY, credits int NOT NULL);
CREATE FUNCTION spend(a int, b int) RETURNS void LANGUAGE sql AS $$
  UPDATE account SET credits = credits - 1 WHERE id IN (a, b) AND credits > 0
$$;
CREATE FUNCTION move(a int, b int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET credits = credits - 1 WHERE id = a;
  UPDATE account SET credits = credits + 1 WHERE id = b;
END $$;
