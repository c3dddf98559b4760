-- Tweets are only added; who follows whom does not change.
CREATE TABLE follows (
    follower integer,
    followed integer,
    PRIMARY KEY (follower, followed)
);
CREATE TABLE tweet (
    id     serial PRIMARY KEY,
    author integer NOT NULL,
    body   text
);

CREATE FUNCTION insert_tweet(p_author integer, p_body text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tweet (author, body) VALUES (p_author, p_body);
END $$;

CREATE FUNCTION get_tweet(p_id integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    b text;
BEGIN
    SELECT body INTO b FROM tweet WHERE id = p_id;
    RETURN b;
END $$;

CREATE FUNCTION get_user_tweets(p_author integer) RETURNS SETOF integer
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT t.id FROM tweet t WHERE t.author = p_author;
END $$;

CREATE FUNCTION get_tweets_from_following(p_user integer) RETURNS SETOF integer
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT t.id FROM follows f JOIN tweet t ON t.author = f.followed
        WHERE f.follower = p_user;
END $$;
