-- Returns whether the running statement has changed a row that the parent's view showed as _stage_p_old.
-- Filled in src/overlay/inheritance/tree-row.ts.
CREATE FUNCTION {{function}}(_stage_p_old {{parent_type}}, _stage_p_mutation bigint, _stage_p_start bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_touched bigint[] := stage.touched(_stage_p_mutation);
BEGIN
  RETURN EXISTS (SELECT 1 FROM {{shadow}} s WHERE s._stage_session = _stage_v_session AND s._stage_mutation = ANY (_stage_v_touched) AND {{s_was_old}});
END $body$;
REVOKE ALL ON FUNCTION {{function}} FROM PUBLIC
