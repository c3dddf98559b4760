CREATE TABLE member (
    id     integer PRIMARY KEY,
    team   integer NOT NULL,
    name   text NOT NULL,
    leader boolean NOT NULL
);

CREATE FUNCTION lead_if_nobody_does(p_name text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE member SET leader = NOT (
        SELECT bool_or(o.leader) FROM member o WHERE o.team = member.team)
    WHERE name = p_name;
END $$;
