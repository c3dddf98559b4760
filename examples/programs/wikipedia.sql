-- Pages point to their latest revision; users watch pages.
CREATE TABLE revision (
    id   serial PRIMARY KEY,
    page integer NOT NULL,
    body text
);
CREATE TABLE page (
    id     integer PRIMARY KEY,
    latest integer NOT NULL REFERENCES revision (id)
);
CREATE TABLE watchlist (
    account integer,
    page    integer,
    seen    integer,
    PRIMARY KEY (account, page)
);
CREATE TABLE account (
    id    integer PRIMARY KEY,
    edits integer NOT NULL,
    stamp integer
);

CREATE FUNCTION get_page(p_page integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    l integer;
    b text;
BEGIN
    SELECT latest INTO l FROM page WHERE id = p_page;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT body INTO b FROM revision WHERE id = l;
    RETURN b;
END $$;

CREATE FUNCTION add_watch(p_account integer, p_page integer, p_stamp integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO watchlist VALUES (p_account, p_page, NULL)
        ON CONFLICT DO NOTHING;
    UPDATE account SET stamp = p_stamp WHERE id = p_account;
END $$;

CREATE FUNCTION remove_watch(p_account integer, p_page integer, p_stamp integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM watchlist WHERE account = p_account AND page = p_page;
    UPDATE account SET stamp = p_stamp WHERE id = p_account;
END $$;

CREATE FUNCTION update_page(p_page integer, p_account integer, p_body text,
                            p_stamp integer)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    l integer;
    r integer;
BEGIN
    SELECT latest INTO l FROM page WHERE id = p_page;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO revision (page, body) VALUES (p_page, p_body)
        RETURNING id INTO r;
    UPDATE page SET latest = r WHERE id = p_page AND latest = l;
    UPDATE watchlist SET seen = p_stamp WHERE page = p_page;
    UPDATE account SET edits = edits + 1, stamp = p_stamp
        WHERE id = p_account;
    RETURN true;
END $$;
