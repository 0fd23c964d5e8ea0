-- Runs set-based checks and foreign key actions at the end of a statement.
-- Filled in src/overlay/rows/after-statement.ts: `settings` has SET clauses, or is empty.
CREATE FUNCTION {{function}}(_stage_v_session uuid, _stage_v_start bigint, _stage_v_mutation bigint, _stage_v_end bigint DEFAULT 9223372036854775807) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp {{settings}} AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_value text;
  _stage_v_partition oid;
  _stage_v_referring oid;
  _stage_v_copies record;
  _stage_v_row bigint;
  _stage_v_set text;
BEGIN
{{checks}}
END $body$;
