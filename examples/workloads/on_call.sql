-- A doctor goes off call if another one of the team is on call, else comes
-- back.  One must always be on call; at REPEATABLE READ none may be.
\set team random(1, 10)
\set name random(1, 2)
BEGIN;
SELECT count(*) AS others FROM doctor
    WHERE team = :team AND name <> :name AND on_call \gset
\if :others > 0
UPDATE doctor SET on_call = false WHERE team = :team AND name = :name;
\else
UPDATE doctor SET on_call = true WHERE team = :team AND name = :name;
\endif
COMMIT;
