-- The tables of pgbench with their rows, at scale 1.
CREATE TABLE pgbench_branches (
    bid      integer PRIMARY KEY,
    bbalance integer NOT NULL
);
CREATE TABLE pgbench_tellers (
    tid      integer PRIMARY KEY,
    bid      integer NOT NULL,
    tbalance integer NOT NULL
);
CREATE TABLE pgbench_accounts (
    aid      integer PRIMARY KEY,
    bid      integer NOT NULL,
    abalance integer NOT NULL
);
CREATE TABLE pgbench_history (
    tid   integer,
    bid   integer,
    aid   integer,
    delta integer,
    mtime timestamp
);
INSERT INTO pgbench_branches VALUES (1, 0);
INSERT INTO pgbench_tellers SELECT n, 1, 0 FROM generate_series(1, 10) n;
INSERT INTO pgbench_accounts SELECT n, 1, 0 FROM generate_series(1, 100000) n;
