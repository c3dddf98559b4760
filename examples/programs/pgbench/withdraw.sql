-- A balance is read by one statement and written by the next.
\set aid random(1, 100000)
\set amount random(1, 100)
BEGIN;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid \gset
\set rest :abalance - :amount
\if :rest >= 0
UPDATE pgbench_accounts SET abalance = :rest WHERE aid = :aid;
\endif
COMMIT;
