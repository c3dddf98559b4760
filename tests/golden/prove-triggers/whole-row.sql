CREATE TABLE duty (id int PRIMARY KEY, n int NOT NULL, m int, flag boolean NOT NULL DEFAULT false);
CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW := jsonb_populate_record(NEW, '{"m": 1}'); RETURN NEW; END $$;
CREATE TRIGGER tr BEFORE UPDATE ON duty FOR EACH ROW  EXECUTE FUNCTION tf();
CREATE FUNCTION f(i int, j int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT m FROM duty WHERE id = i) = 0 THEN UPDATE duty SET n = 1 WHERE id = j; END IF;
END $$;
