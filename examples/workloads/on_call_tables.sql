-- Ten teams of two doctors.
CREATE TABLE doctor (
    team    integer,
    name    integer,
    on_call boolean NOT NULL,
    PRIMARY KEY (team, name)
);
INSERT INTO doctor
    SELECT team, name, true
    FROM generate_series(1, 10) team, generate_series(1, 2) name;
