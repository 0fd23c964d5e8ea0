-- Whether a row that the parent's view showed as p_old has been changed by the running statement.
CREATE FUNCTION {{function}}(p_old {{parent_type}}, p_mutation bigint, p_start bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  v_session uuid := current_setting('stage.session')::uuid;
  v_touched bigint[] := stage.touched(p_mutation);
BEGIN
  RETURN EXISTS (SELECT 1 FROM {{shadow}} s WHERE s._stage_session = v_session AND s._stage_mutation = ANY (v_touched) AND {{s_was_old}});
END $body$;
REVOKE ALL ON FUNCTION {{function}} FROM PUBLIC
