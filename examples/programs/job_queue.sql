-- Workers take the first free job, and lock it while they do.
CREATE TABLE job (
    id   integer PRIMARY KEY,
    free boolean NOT NULL
);

CREATE FUNCTION take_job() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    j integer;
BEGIN
    SELECT id INTO j FROM job WHERE free ORDER BY id LIMIT 1 FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE job SET free = false WHERE id = j;
    RETURN j;
END $$;

CREATE FUNCTION add_job(p_id integer) RETURNS void LANGUAGE sql AS $$
    INSERT INTO job VALUES (p_id, true)
$$;
