-- Notes which columns of a table the next statement of a copy updates. Returns true. p_columns: a JSON array; NULL if they are not known.
-- See stage.set_columns.
CREATE OR REPLACE FUNCTION stage.begin_columns(p_relation oid, p_columns text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_setting text := 'stage.set_' || p_relation;
  v_depth int := pg_trigger_depth() + 1;
  v_set jsonb := nullif(current_setting(v_setting, true), '');
BEGIN
  -- those of statements that have ended
  WHILE jsonb_typeof(v_set) = 'object' AND (v_set ->> 'depth')::int >= v_depth LOOP v_set := v_set -> 'before'; END LOOP;
  PERFORM set_config(v_setting, jsonb_build_object('depth', v_depth, 'columns', p_columns::jsonb, 'before', v_set)::text, true);
  RETURN true;
END $$;
