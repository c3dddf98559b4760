CREATE TABLE item (id int PRIMARY KEY, owner text, weight int NOT NULL);
CREATE FUNCTION weight_of(o text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE total bigint;
BEGIN
  total := (SELECT sum(weight) FROM item WHERE owner = o);
  RETURN total;
END $$;
CREATE FUNCTION add_item(i int, o text, w int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF weight_of(o) < 100 THEN
    INSERT INTO item VALUES (i, o, w);
  END IF;
END $$;
