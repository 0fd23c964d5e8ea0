-- Code that asks for the statement of the client, as audit triggers do.
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL DEFAULT 0, note text);
INSERT INTO item (id) VALUES (1), (2), (3);
CREATE TABLE entry (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO entry VALUES (1, 0);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_query text = current_query();
BEGIN
  RAISE NOTICE '% % %: %', TG_WHEN, TG_OP, TG_TABLE_NAME, v_query;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_tell BEFORE INSERT OR UPDATE OR DELETE ON item FOR EACH ROW EXECUTE FUNCTION tell();
CREATE FUNCTION tell_all() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_row record;
BEGIN
  v_row := ROW (TG_OP, pg_catalog.current_query(), 1);
  SELECT TG_OP AS op, current_query() AS query, "current_query"() AS again INTO v_row;
  RAISE NOTICE '%', v_row;
  UPDATE entry SET n = n + 1 WHERE length(current_query()) > 5;
  RETURN NULL;
END $$;
CREATE TRIGGER b_tell AFTER INSERT OR UPDATE OR DELETE ON item FOR EACH STATEMENT EXECUTE FUNCTION tell_all();
CREATE TRIGGER c_tell AFTER UPDATE ON entry FOR EACH ROW EXECUTE FUNCTION tell();
CREATE FUNCTION bump(p_id int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE item SET n = n + 1 WHERE id = p_id;
  RETURN current_query();
END $$;
CREATE PROCEDURE add(p_id int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO item (id, note) VALUES (p_id, length(current_query())::text);
END $$;

-- story: triggers
INSERT INTO item (id, n) VALUES (4, 1), (5, 2)  ;
UPDATE item SET n = 7, note = 'a''b' WHERE id = 1 RETURNING n /* of one */;
DELETE FROM item WHERE id = 2;
WITH gone AS (DELETE FROM item WHERE id = 3 RETURNING id) SELECT id FROM gone;

-- story: in a block, and prepared
BEGIN;
UPDATE item SET n = 1 WHERE id = 1;
SELECT count(*) FROM item;
UPDATE item SET n = 2 WHERE id = 4;
COMMIT;
MERGE INTO item i USING (VALUES (1)) v (id) ON i.id = v.id WHEN MATCHED THEN UPDATE SET n = 9;

-- story: functions, procedures and blocks
SELECT bump(1);
SELECT bump(id) FROM item WHERE id < 3 ORDER BY id;
CALL add(10);
DO $$ BEGIN RAISE NOTICE '%', current_query(); UPDATE item SET n = 3 WHERE id = 1; END $$;
SELECT note FROM item WHERE id = 10;
