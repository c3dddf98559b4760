CREATE TABLE item (id int PRIMARY KEY, owner text, weight int NOT NULL);
CREATE VIEW load AS SELECT owner, sum(weight) AS total FROM item GROUP BY owner;
CREATE FUNCTION add_item(i int, o text, w int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT total FROM load WHERE owner = o) < 100 THEN
    INSERT INTO item VALUES (i, o, w);
  END IF;
END $$;
