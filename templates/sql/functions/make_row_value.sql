-- Makes the type in which staged functions take and return the rows of a relation current. It is a type of the service, so that no migration of
-- the relation is blocked.
CREATE OR REPLACE FUNCTION stage.make_row_value(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_type text := format('stage.row_value_%s', p_relation);
  v_columns text[] := ARRAY(
    SELECT (SELECT string_agg(concat(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)),
        CASE WHEN a.attcollation NOT IN (0, t.typcollation) THEN ' COLLATE ' || a.attcollation::regcollation END), ', ' ORDER BY a.attnum)
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped)
    FROM (VALUES (1, p_relation), (2, to_regclass(v_type))) r(place, oid) ORDER BY r.place);
BEGIN
  IF v_columns[1] = v_columns[2] THEN RETURN; END IF;
  -- the functions that use the former one are outdated
  EXECUTE format('DROP TYPE IF EXISTS %s CASCADE', v_type);
  EXECUTE format('CREATE TYPE %s AS (%s)', v_type, v_columns[1]);
END $$;
REVOKE ALL ON FUNCTION stage.make_row_value(oid) FROM PUBLIC;
