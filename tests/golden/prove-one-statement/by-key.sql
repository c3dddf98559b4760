CREATE TABLE account (id int PRIMARY KEY, credits int NOT NULL);
CREATE FUNCTION spend(a int) RETURNS void LANGUAGE sql AS $$
  UPDATE account SET credits = credits - 1 WHERE id = a AND credits > 0
$$;
CREATE FUNCTION look(a int) RETURNS int LANGUAGE sql AS $$ SELECT credits FROM account WHERE id = a $$;
