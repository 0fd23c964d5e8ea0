-- Returns a fact of the running write to a table, as a JSON array; NULL if it is not known. p_fact: `set`, the columns that an UPDATE sets;
-- `reads`, the operations of the statement that also read columns of the table. The statement of a client, or the action of a foreign key,
-- has the array in a setting. A statement of a copy has it in an object, with the depth at which triggers fire for it and with the value
-- before, which counts again for the statement around it.
DROP FUNCTION IF EXISTS stage.set_columns(oid);
CREATE OR REPLACE FUNCTION stage.of_write(p_fact text, p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_noted jsonb := nullif(current_setting(concat('stage.', p_fact, '_', p_relation), true), '');
BEGIN
  -- guard: a write in a trigger does not decide for the statement around it
  WHILE jsonb_typeof(v_noted) = 'object' AND (v_noted ->> 'depth')::int > pg_trigger_depth() LOOP v_noted := v_noted -> 'before'; END LOOP;
  RETURN nullif(CASE WHEN jsonb_typeof(v_noted) = 'object' THEN v_noted -> 'value' ELSE v_noted END, 'null');
END $$;
