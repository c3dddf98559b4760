-- Two doctors: each may go off call while the other is on call.
CREATE TABLE doctor (id integer PRIMARY KEY, on_call boolean NOT NULL);

CREATE FUNCTION leave(p_id integer, p_other integer) RETURNS void
LANGUAGE plpgsql STRICT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM doctor WHERE id = p_other AND on_call) THEN
        UPDATE doctor SET on_call = false WHERE id = p_id;
    END IF;
END $$;

CREATE FUNCTION come(p_id integer) RETURNS void LANGUAGE sql STRICT AS
'UPDATE doctor SET on_call = true WHERE id = p_id';
