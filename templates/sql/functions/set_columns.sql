-- Returns the columns that the running UPDATE of a table sets, as a JSON array; NULL if they are not known. The statement of a client, or
-- the action of a foreign key, has them as an array in the setting. A statement of a copy has them in an object, with the depth at which
-- triggers fire for it and with the value before, which counts again for the statement around it.
CREATE OR REPLACE FUNCTION stage.set_columns(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_set jsonb := nullif(current_setting('stage.set_' || p_relation, true), '');
BEGIN
  -- guard: an update in a trigger does not decide which columns the statement around it sets
  WHILE jsonb_typeof(v_set) = 'object' AND (v_set ->> 'depth')::int > pg_trigger_depth() LOOP v_set := v_set -> 'before'; END LOOP;
  RETURN nullif(CASE WHEN jsonb_typeof(v_set) = 'object' THEN v_set -> 'columns' ELSE v_set END, 'null');
END $$;
