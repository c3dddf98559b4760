-- Students enrol in courses that have room.
CREATE TABLE student (
    name text PRIMARY KEY
);
CREATE TABLE course (
    name     text PRIMARY KEY,
    capacity integer NOT NULL
);
CREATE TABLE enrolled (
    student text,
    course  text,
    PRIMARY KEY (student, course)
);

CREATE FUNCTION add_student(p_s text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM student WHERE name = p_s;
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO student VALUES (p_s);
    RETURN true;
END $$;

CREATE FUNCTION add_course(p_c text, p_capacity integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM course WHERE name = p_c;
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO course VALUES (p_c, p_capacity);
    RETURN true;
END $$;

CREATE FUNCTION remove_student(p_s text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM enrolled WHERE student = p_s) THEN
        RETURN false;
    END IF;
    DELETE FROM student WHERE name = p_s;
    RETURN true;
END $$;

CREATE FUNCTION remove_course(p_c text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM enrolled WHERE course = p_c) THEN
        RETURN false;
    END IF;
    DELETE FROM course WHERE name = p_c;
    RETURN true;
END $$;

CREATE FUNCTION enrol(p_s text, p_c text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    n integer;
    is_student boolean;
BEGIN
    PERFORM 1 FROM student WHERE name = p_s;
    is_student := FOUND;
    SELECT capacity INTO n FROM course WHERE name = p_c;
    IF NOT is_student OR NOT FOUND OR n <= 0 THEN
        RETURN false;
    END IF;
    UPDATE course SET capacity = n - 1 WHERE name = p_c;
    INSERT INTO enrolled VALUES (p_s, p_c);
    RETURN true;
END $$;
