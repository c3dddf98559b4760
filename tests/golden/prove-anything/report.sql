CREATE TABLE sale (id int PRIMARY KEY, shop text, amount int NOT NULL);
CREATE TABLE visit (id int PRIMARY KEY, shop text);
CREATE FUNCTION report(s text, v int) RETURNS TABLE (shop_name text, total bigint) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO visit VALUES (v, s);
  RETURN QUERY SELECT shop, sum(amount) FROM sale GROUP BY shop HAVING sum(amount) > 10;
END $$;
