CREATE TABLE job (id int PRIMARY KEY, due date NOT NULL, price numeric, at timestamp);
CREATE FUNCTION put_off(a int, d date, p numeric, t timestamp) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE job SET due = d WHERE id = a AND due < d AND price < p AND at < t;
END $$;
