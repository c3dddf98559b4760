-- Workers take the first free job, and lock it while they do.  The lock does
-- not repair it: at read committed a worker that waits for a job which is taken
-- meanwhile goes on to the next one that was free before the wait, and may find
-- none although there was a free job all the time.
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

-- A worker puts its job back and takes another one.
CREATE FUNCTION change_job(p_old integer, p_new integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE job SET free = true WHERE id = p_old;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such job';
    END IF;
    UPDATE job SET free = false WHERE id = p_new;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such job';
    END IF;
END $$;
