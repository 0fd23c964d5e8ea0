-- Returns a number that can stand for a table here and belongs to none: PostgreSQL reserves the numbers below 16384 for itself.
CREATE OR REPLACE FUNCTION stage.free_number() RETURNS oid
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT n::oid FROM generate_series(1, 16383) n
  WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = n::oid)
    AND NOT EXISTS (SELECT FROM stage.overlay o WHERE o.relation = n::oid)
    AND NOT EXISTS (SELECT FROM stage.parked_table p WHERE p.relation = n::oid)
  LIMIT 1
$$;
REVOKE ALL ON FUNCTION stage.free_number() FROM PUBLIC;
