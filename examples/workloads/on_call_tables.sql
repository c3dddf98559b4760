-- Ten teams of two doctors.
CREATE TABLE doctor (
    team    integer,
    name    integer,
    on_call boolean NOT NULL,
    PRIMARY KEY (team, name)
);
INSERT INTO doctor VALUES
    (1, 1, true), (1, 2, true), (2, 1, true), (2, 2, true), (3, 1, true),
    (3, 2, true), (4, 1, true), (4, 2, true), (5, 1, true), (5, 2, true),
    (6, 1, true), (6, 2, true), (7, 1, true), (7, 2, true), (8, 1, true),
    (8, 2, true), (9, 1, true), (9, 2, true), (10, 1, true), (10, 2, true);
