CREATE TABLE duty (id int PRIMARY KEY, on_call boolean NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE p1 (id int NOT NULL PRIMARY KEY, on_call boolean NOT NULL);
ALTER TABLE duty ATTACH PARTITION p1 FOR VALUES FROM (0) TO (100);
CREATE FUNCTION leave(who int) RETURNS void LANGUAGE plpgsql  AS $$
BEGIN IF (SELECT count(*) FROM duty WHERE on_call) >= 2 THEN UPDATE p1 SET on_call = false WHERE id = who; END IF; END
$$;
