-- Triggers that fire for some of their operations while rows are staged, because another trigger of the other operations does not.
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL DEFAULT 0, note text);
INSERT INTO item SELECT g, 0, 'old' FROM generate_series(1, 5) g;
CREATE TABLE total (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO total VALUES (1, 0);
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE total SET n = n + 1 WHERE id = 1;
  RETURN NULL;
END $$;
CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.note := 'marked';
  RETURN NEW;
END $$;
CREATE FUNCTION beyond() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.last', NEW.id::text, false);
  RETURN NEW;
END $$;
CREATE TRIGGER a_beyond BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION beyond();
CREATE TRIGGER b_mark BEFORE INSERT OR UPDATE ON item FOR EACH ROW EXECUTE FUNCTION mark();
CREATE TRIGGER c_count AFTER INSERT OR UPDATE OR DELETE ON item FOR EACH ROW EXECUTE FUNCTION count_items();
CREATE TABLE plain (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
INSERT INTO plain SELECT g FROM generate_series(1, 4) g;
CREATE TRIGGER a_count AFTER INSERT OR UPDATE OR DELETE ON plain FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER a_beyond AFTER INSERT ON plain FOR EACH ROW EXECUTE FUNCTION beyond();
CREATE TABLE owned (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
INSERT INTO owned SELECT g FROM generate_series(1, 4) g;
CREATE FUNCTION as_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  RETURN NULL;
END $$;
CREATE TRIGGER a_count AFTER UPDATE OR DELETE ON owned FOR EACH ROW EXECUTE FUNCTION count_items();
CREATE TRIGGER b_owner AFTER INSERT OR UPDATE ON owned FOR EACH ROW EXECUTE FUNCTION as_owner();

-- story: row by row
UPDATE item SET n = 1 WHERE id = 1 RETURNING *;
DELETE FROM item WHERE id = 2;
SELECT * FROM total;

-- story: many rows
UPDATE item SET n = n + 1 RETURNING *;
DELETE FROM item WHERE id > 3;
SELECT * FROM item ORDER BY id;
SELECT * FROM total;

-- story: statement triggers
UPDATE plain SET n = n + 1;
UPDATE plain SET n = 5 WHERE id = 2;
DELETE FROM plain WHERE id = 1;
SELECT * FROM total;

-- story: beside a trigger with its owner's rights
DELETE FROM owned WHERE id = 1;
SELECT * FROM total;
