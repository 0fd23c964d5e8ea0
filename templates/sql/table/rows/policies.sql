-- Checks row-level security with the rights of whoever runs the statement, and before any other error about a row.
-- The trigger is named to fire before the triggers that stage.
-- Filled in src/overlay/rows/policies.ts: the calls return null for a row that passes.
CREATE FUNCTION {{check}}() RETURNS trigger
LANGUAGE plpgsql AS $body$
DECLARE
  _stage_v_failed pg_catalog.text;
BEGIN
  IF TG_OP OPERATOR(pg_catalog.=) 'INSERT' THEN
    _stage_v_failed := {{may_insert}};
  ELSIF TG_OP OPERATOR(pg_catalog.=) 'DELETE' THEN
    IF {{may_delete}} IS NOT NULL THEN RETURN NULL; END IF;
    RETURN OLD;
  ELSE
    IF {{may_touch}} IS NOT NULL THEN RETURN NULL; END IF;
    _stage_v_failed := coalesce({{may_update}}, {{may_see_new}});
  END IF;
  IF _stage_v_failed IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = pg_catalog.concat('new row violates row-level security policy ',
      CASE WHEN _stage_v_failed OPERATOR(pg_catalog.<>) '' THEN pg_catalog.concat('"', _stage_v_failed, '" ') END, 'for table "', {{table_name}}, '"');
  END IF;
  RETURN NEW;
END $body$;
