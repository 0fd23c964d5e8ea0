-- A compiled trigger function that changes only the row: it fires for an INSERT into a table that stores no row. A setting passes the row
-- on as the function returned it.
-- Filled in src/overlay/triggers/trigger-copy.ts: `condition` is the one under which it does anything.
DROP TABLE IF EXISTS {{gate}};
CREATE TABLE {{gate}} (LIKE {{row_type}});
CREATE TRIGGER fire BEFORE INSERT ON {{gate}} FOR EACH ROW EXECUTE FUNCTION {{fired}}({{arguments}});
CREATE TRIGGER hand_on BEFORE INSERT ON {{gate}} FOR EACH ROW EXECUTE FUNCTION stage.hand_on_row();
ALTER TABLE {{gate}} ENABLE ALWAYS TRIGGER fire, ENABLE ALWAYS TRIGGER hand_on;
-- clients do not own the table, and whoever may insert may lock it. No code of users runs here.
CREATE OR REPLACE FUNCTION {{pass}}(_stage_p_row {{row_type}}) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {{path}} AS $body$
BEGIN
  PERFORM stage.demand_session();
  INSERT INTO {{gate}} SELECT (_stage_p_row).*;
END $body$;
CREATE OR REPLACE FUNCTION {{function}}(_stage_p_new {{row_type}}, _stage_p_old {{row_type}}, _stage_p_op text, _stage_p_made {{row_type}} DEFAULT NULL) RETURNS record
LANGUAGE plpgsql SET search_path = {{path}} AS $body$
BEGIN
  IF NOT ({{condition}}) THEN RETURN _stage_p_new; END IF;
  PERFORM {{pass}}(_stage_p_new);
  _stage_p_made := pg_catalog.current_setting('stage.gated');
  RETURN _stage_p_made;
END $body$;
