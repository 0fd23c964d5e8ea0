-- INSTEAD OF, before the row is staged: fires the copies of production's BEFORE triggers with the client's rights. What they make of the
-- row goes apart to what stages it, for the row itself is what the client has given: approval hands that to production.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_given {{row_type}};
  _stage_v_made {{row_type}};
BEGIN
  -- an upsert has fired them before it looked for the row in the way
  IF coalesce(current_setting('stage.made_{{oid}}', true), '') <> '' THEN RETURN NEW; END IF;
{{prepare}}
  _stage_v_given := ROW({{new_columns}})::{{row_type}};
  _stage_v_made := {{fire}}(_stage_v_given, {{old}});
  IF _stage_v_made IS NOT DISTINCT FROM NULL THEN RETURN NULL; END IF;
  PERFORM set_config('stage.made_{{oid}}', CASE WHEN _stage_v_made *= _stage_v_given THEN '=' ELSE stage.exact_row(_stage_v_made) END, true);
  RETURN NEW;
END $body$;
