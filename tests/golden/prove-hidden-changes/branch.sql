CREATE TABLE duty (id int PRIMARY KEY, n int NOT NULL);
\if false
CREATE UNIQUE INDEX ON duty (n);
\endif
CREATE FUNCTION leave(who int, k int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN IF NOT EXISTS (SELECT 1 FROM duty WHERE n = k) THEN INSERT INTO duty VALUES (who, k); END IF; END
$$;
