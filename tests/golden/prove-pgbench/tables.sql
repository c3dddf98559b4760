-- The tables of pgbench, with the keys that 'pgbench -i' gives them.
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
