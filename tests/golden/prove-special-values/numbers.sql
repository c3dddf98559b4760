CREATE TABLE account (id int PRIMARY KEY, balance numeric(12, 2) NOT NULL, owner varchar(20));
CREATE FUNCTION deposit(a int, amount numeric, who text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = a;
  UPDATE account SET owner = who WHERE id = a;
END $$;
