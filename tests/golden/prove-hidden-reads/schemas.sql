CREATE SCHEMA a;
CREATE SCHEMA b;
CREATE TABLE a.duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE b.duty (id int PRIMARY KEY, on_call boolean NOT NULL);
CREATE VIEW b.working AS SELECT * FROM b.duty WHERE on_call;
CREATE VIEW a.working AS SELECT * FROM a.duty WHERE on_call;
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM b.working) >= 2 THEN
    UPDATE b.duty SET on_call = false WHERE id = who;
  END IF;
END $$;
