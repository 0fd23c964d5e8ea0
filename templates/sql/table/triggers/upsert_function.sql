-- Fires the BEFORE triggers for a new row of an upsert, with the client's rights, before the search for a colliding row.
-- Filled in src/overlay/triggers/fire-upsert.ts: `fire` and `made` are the functions of fire.sql.
CREATE FUNCTION {{fired}}(INOUT new {{upsert}}, OUT _stage_p_made {{row_type}}, OUT _stage_p_text text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
BEGIN
  _stage_p_made := {{fire}}(ROW({{new_columns}}), NULL{{named}});
  _stage_p_text := {{made}}(_stage_p_made, ROW({{new_columns}}));
END $body$;

