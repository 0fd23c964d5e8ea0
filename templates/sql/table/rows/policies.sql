-- Checks row-level security with the rights of whoever runs the statement, and before any other error about a row.
-- The trigger is named to fire before the triggers that stage.
-- Filled in src/overlay/rows/policies.ts: the calls return null for a row that passes. Names of settings end with the OID `table`. `made`
-- makes NEW the row that triggers made, if any fired; the next trigger gets the row as it was given.
{{made_row}}CREATE FUNCTION {{check}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
DECLARE
  _stage_v_failed pg_catalog.text;
  _stage_v_row pg_catalog.text := 'new row';
  _stage_v_expression pg_catalog.text;
  _stage_v_given pg_catalog.record;
  _stage_v_is_made pg_catalog.bool := false;
BEGIN
{{made}}  IF TG_OP OPERATOR(pg_catalog.=) 'INSERT' THEN
    _stage_v_failed := {{may_insert}};
  ELSE
    _stage_v_failed := CASE WHEN TG_OP OPERATOR(pg_catalog.=) 'DELETE' THEN {{may_delete}} ELSE {{may_touch}} END;
    IF _stage_v_failed IS NOT NULL THEN
      _stage_v_expression := '(USING expression) ';
      IF pg_catalog.current_setting('stage.merge_{{table}}', true) OPERATOR(pg_catalog.=) 'on' THEN
        _stage_v_row := 'target row';
      -- the row of an ON CONFLICT DO UPDATE may not be passed over
      ELSIF coalesce(pg_catalog.current_setting('stage.resolves_{{table}}', true), '') OPERATOR(pg_catalog.<>) 'on' THEN
        RETURN NULL;
      END IF;
    ELSIF TG_OP OPERATOR(pg_catalog.=) 'DELETE' THEN
      RETURN OLD;
    ELSE
      _stage_v_failed := {{may_update}};
    END IF;
  END IF;
  -- guard: policies for SELECT apply to the new rows of a statement that reads columns of the table
  IF _stage_v_failed IS NULL AND stage.of_write('reads', {{table}}) OPERATOR(pg_catalog.?) TG_OP THEN _stage_v_failed := {{may_see_new}}; END IF;
  IF _stage_v_failed IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = pg_catalog.concat(_stage_v_row, ' violates row-level security policy ',
      CASE WHEN _stage_v_failed OPERATOR(pg_catalog.<>) '' THEN pg_catalog.concat('"', _stage_v_failed, '" ') END, _stage_v_expression, 'for table "', {{table_name}}, '"');
  END IF;
{{give_back}}  RETURN NEW;
END $body$;
