-- Notes a fact of the next write of a copy to a table. Returns true. See stage.of_write.
-- p_value: a JSON array; NULL if it is not known.
DROP FUNCTION IF EXISTS stage.begin_columns(oid, text);
CREATE OR REPLACE FUNCTION stage.begin_write(p_fact text, p_relation oid, p_value text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_setting text := CASE WHEN p_fact IN ('set', 'reads') THEN concat('stage.', p_fact, '_', p_relation) END;
  v_depth int := pg_trigger_depth() + 1;
  v_noted jsonb := nullif(current_setting(v_setting, true), '');
BEGIN
  -- those of statements that have ended
  WHILE jsonb_typeof(v_noted) = 'object' AND (v_noted ->> 'depth')::int >= v_depth LOOP v_noted := v_noted -> 'before'; END LOOP;
  PERFORM set_config(v_setting, jsonb_build_object('depth', v_depth, 'value', p_value::jsonb, 'before', v_noted)::text, true);
  RETURN true;
END $$;
