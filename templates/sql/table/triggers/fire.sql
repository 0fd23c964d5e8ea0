-- Fires the BEFORE triggers of one operation for a row, in their order. Returns the row as they made it; NULL if one of them suppresses it.
-- It is in a schema that clients may use, and runs with the client's rights. So its body names no type: the last parameter is a variable.
-- _stage_p_named: the partition that the statement names; NULL if it names the table.
-- Filled in src/overlay/triggers/fire.ts: `body` is fire_body.sql, filled, as a literal.
CREATE OR REPLACE FUNCTION {{function}}("new" {{row_type}}, "old" {{row_type}}, _stage_p_named oid DEFAULT NULL, _stage_p_result {{row_type}} DEFAULT NULL) RETURNS {{row_type}}
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS {{body}};

-- Returns the value that is passed to the trigger that stages the row: the row's text, `=` if triggers left the row as it was given, NULL
-- if they suppressed it. In a revert it is the text of the row as given: that is the row that was, and triggers may only refuse it.
CREATE OR REPLACE FUNCTION {{made}}(_stage_p_made {{row_type}}, _stage_p_given {{row_type}}) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF _stage_p_made IS NOT DISTINCT FROM NULL THEN RETURN NULL; END IF;
  IF _stage_p_made *= _stage_p_given THEN RETURN '='; END IF;
  -- guard: a revert stages the former rows, whatever triggers make of them
  IF coalesce(current_setting('stage.reverts', true), '') = 'on' AND NOT (pg_trigger_depth() > 1 AND current_setting('stage.origin', true) = 'trigger') THEN RETURN stage.exact_row(_stage_p_given); END IF;
  RETURN stage.exact_row(_stage_p_made);
END $body$;
