CREATE TABLE duty (id int PRIMARY KEY, n int NOT NULL, m int GENERATED ALWAYS AS (n * 2) STORED);
CREATE FUNCTION f(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT m FROM duty WHERE id = i) = 0 THEN UPDATE duty SET n = 1 WHERE id = j; END IF;
END $$;
