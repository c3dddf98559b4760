CREATE TABLE account (id int PRIMARY KEY, branch int NOT NULL, paid int);
CREATE TABLE branch (id int PRIMARY KEY, rate int NOT NULL);

CREATE FUNCTION pay(a int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r int;
BEGIN
  SELECT b.rate INTO r FROM account x, branch b
    WHERE x.id = a AND b.id = x.branch FOR UPDATE;
  UPDATE account SET paid = r WHERE id = a;
  RETURN r;
END $$;

CREATE FUNCTION move(a int, b int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET branch = b WHERE id = a;
END $$;
