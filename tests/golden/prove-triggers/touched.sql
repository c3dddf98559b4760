CREATE TABLE duty (id int PRIMARY KEY, n int NOT NULL DEFAULT 0, m int GENERATED ALWAYS AS (n * 2) STORED, updated_at timestamptz);
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at = now(); RETURN NEW; END $$;
CREATE TRIGGER t BEFORE UPDATE ON duty FOR EACH ROW EXECUTE FUNCTION touch();
CREATE FUNCTION add(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE duty SET n = n + 1 WHERE id = who;
END $$;
CREATE FUNCTION make(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO duty (id, n) VALUES (who, 1) ON CONFLICT (id) DO UPDATE SET n = duty.n + 1;
END $$;
