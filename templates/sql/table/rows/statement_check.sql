-- Set-based checks and foreign key actions at the end of a statement.
CREATE FUNCTION {{function}}(v_session uuid, v_start bigint, v_mutation bigint, v_end bigint DEFAULT 9223372036854775807) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp {{settings}} AS $body$
#variable_conflict use_column
DECLARE
  v_value text;
  v_partition oid;
  v_copies record;
  v_row bigint;
BEGIN
{{checks}}
END $body$;
