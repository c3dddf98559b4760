CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE duty (name text PRIMARY KEY, on_call boolean NOT NULL);
CREATE FUNCTION leave(who text, other text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF who <> other AND who COLLATE ci = other COLLATE ci THEN
    IF (SELECT on_call FROM duty WHERE name = other) THEN
      UPDATE duty SET on_call = false WHERE name = who;
    END IF;
  END IF;
END $$;
