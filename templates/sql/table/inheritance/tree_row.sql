-- Stages the change of one row of a table that its parent's view shows as _stage_p_old. Rows that the parent's columns do not distinguish
-- take part in a statement all or none: any of them is changed that this statement has not touched yet.
-- Filled in src/overlay/inheritance/tree-row.ts: s is a staged row, p production's; `step` calls the function that stages the change in the
-- table itself.
CREATE FUNCTION {{function}}(_stage_p_old {{parent_type}}, {{p_new}}_stage_p_mutation bigint, _stage_p_start bigint, OUT is_found boolean, OUT changed {{parent_type}})
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_touched bigint[] := stage.touched(_stage_p_mutation);
  _stage_v_old {{row_type}};
  _stage_v_new {{row_type}};
BEGIN
  SELECT {{s_columns}} INTO _stage_v_old FROM {{shadow}} s
  WHERE {{s_is_own}} AND s._stage_head AND s._stage_op <> 'D' AND {{s_is_old}}
    AND NOT s._stage_mutation = ANY (_stage_v_touched)
  LIMIT 1;
  is_found := FOUND;
  IF NOT is_found THEN
    SELECT {{p_columns}} INTO _stage_v_old FROM {{source}} p
    WHERE {{p_is_old}} AND {{p_is_free}}
    LIMIT 1;
    is_found := FOUND;
  END IF;
  IF is_found THEN
    _stage_v_new := _stage_v_old;
{{assignments}}
    _stage_v_new := {{step}};
    changed := ROW({{changed_columns}})::{{parent_type}};
  END IF;
END $body$;
REVOKE ALL ON FUNCTION {{function}} FROM PUBLIC
