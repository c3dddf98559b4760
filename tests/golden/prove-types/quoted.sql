CREATE TABLE "Order" ("User" int PRIMARY KEY, "select" int NOT NULL);
CREATE FUNCTION "Take"(p int) RETURNS int LANGUAGE plpgsql STRICT AS $$
DECLARE
    a int;
BEGIN
    SELECT "select" INTO a FROM "Order" WHERE "User" = p;
    UPDATE "Order" SET "select" = a - 1 WHERE "User" = p;
    RETURN a;
END $$;
