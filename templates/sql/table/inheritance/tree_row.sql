-- Stages the change of one row of a table that its parent's view shows as p_old. Rows that the parent's columns do not tell
-- apart take part in a statement all or none: any of them is changed that this statement has not touched yet.
CREATE FUNCTION {{function}}(p_old {{parent_type}}, {{p_new}}p_mutation bigint, p_start bigint, OUT is_found boolean, OUT changed {{parent_type}})
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  v_session uuid := current_setting('stage.session')::uuid;
  v_touched bigint[] := stage.touched(p_mutation);
  v_old {{row_type}};
  v_new {{row_type}};
BEGIN
  SELECT {{s_columns}} INTO v_old FROM {{shadow}} s
  WHERE {{s_is_own}} AND s._stage_head AND s._stage_op <> 'D' AND {{s_is_old}}
    AND NOT s._stage_mutation = ANY (v_touched)
  LIMIT 1;
  is_found := FOUND;
  IF NOT is_found THEN
    SELECT {{p_columns}} INTO v_old FROM {{source}} p
    WHERE {{p_is_old}} AND {{p_is_free}}
    LIMIT 1;
    is_found := FOUND;
  END IF;
  IF is_found THEN
    v_new := v_old;
{{assignments}}
    v_new := {{step}};
    changed := ROW({{changed_columns}})::{{parent_type}};
  END IF;
END $body$;
REVOKE ALL ON FUNCTION {{function}} FROM PUBLIC
