-- Returns whether the planner takes the shadow of a table for an empty one. Finds it by its name in an index: a query over many tables
-- would make the planner read all of pg_class, and open each relation in it for its size.
CREATE OR REPLACE FUNCTION stage.seems_empty(p_table oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_shadow pg_catalog.oid;
BEGIN
  -- a shadow that was never vacuumed has no number of rows, and the planner assumes some
  v_shadow := (
    SELECT c.oid FROM pg_catalog.pg_class c
    WHERE c.relname OPERATOR(pg_catalog.=) pg_catalog.concat('shadow_', p_table)::pg_catalog.name
      AND c.relnamespace OPERATOR(pg_catalog.=) 'stage_data'::pg_catalog.regnamespace::pg_catalog.oid
      AND c.reltuples OPERATOR(pg_catalog.>=) 0::pg_catalog.float4);
  RETURN v_shadow IS NOT NULL AND pg_catalog.pg_relation_size(v_shadow) OPERATOR(pg_catalog.<) 81920::pg_catalog.int8;
END $$;
