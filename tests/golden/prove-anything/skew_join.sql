CREATE TABLE doctor (id int PRIMARY KEY, ward int, on_call boolean NOT NULL);
CREATE TABLE ward (id int PRIMARY KEY, open boolean NOT NULL);
CREATE FUNCTION leave(d int) RETURNS void LANGUAGE sql AS $$
  UPDATE doctor SET on_call = false FROM ward
  WHERE doctor.id = d AND ward.id = doctor.ward
    AND (SELECT count(*) FROM doctor x WHERE x.ward = ward.id AND x.on_call) > 1
$$;
