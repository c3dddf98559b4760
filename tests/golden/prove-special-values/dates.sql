CREATE TABLE job (id int PRIMARY KEY, due date NOT NULL, seen int NOT NULL);
CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL);

-- Only infinity is the day after itself.
CREATE FUNCTION take(a int, b int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE d date; m int;
BEGIN
  SELECT due INTO d FROM job WHERE id = a;
  IF d + 1 = d THEN
    SELECT n INTO m FROM other WHERE id = b;
    UPDATE job SET seen = m WHERE id = a;
  END IF;
END $$;
CREATE FUNCTION give(a int, b int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE d date; m int;
BEGIN
  SELECT due INTO d FROM job WHERE id = a;
  IF d + 1 = d THEN
    SELECT seen INTO m FROM job WHERE id = a;
    UPDATE other SET n = m + 1 WHERE id = b;
  END IF;
END $$;
