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
CREATE TABLE digit (n integer PRIMARY KEY);
INSERT INTO digit VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
INSERT INTO pgbench_tellers SELECT 1 + n, 1, 0 FROM digit;
INSERT INTO pgbench_accounts
    SELECT 1 + a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n, 1, 0
    FROM digit a, digit b, digit c, digit d, digit e;
DROP TABLE digit;
