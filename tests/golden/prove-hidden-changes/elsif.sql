CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION look_b(i int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN RETURN (SELECT n FROM b WHERE id = i) = 1; END $$;
CREATE FUNCTION look(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT n FROM a WHERE id = i) = 1 THEN RETURN 1;
  ELSIF look_b(i) THEN RETURN 2;
  END IF;
  RETURN 3;
END $$;
CREATE FUNCTION change(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET n = 1 WHERE id = i;
  UPDATE b SET n = 1 WHERE id = i;
END $$;
