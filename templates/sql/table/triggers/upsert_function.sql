-- Fires the BEFORE triggers for a new row, with the client's rights: before a row is looked for that is in its way.
CREATE FUNCTION {{fired}}(INOUT new {{upsert}}, OUT _stage_p_made {{row_type}})
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
BEGIN
{{prepare}}
  _stage_p_made := {{fire}}(ROW({{new_columns}})::{{row_type}}, NULL);
END $body$;

