-- Whose doing a staged row is: the client's own, or that of a foreign key's action. The overlay's own rows are no changes: they hide
-- a key that a row has left, or the rows of a table without a key of which some are changed, and keep the others of those.
CREATE TYPE stage.row_origin AS ENUM ('client', 'action', 'overlay');

-- Runs of an approval had a letter of their own for rows of any origin. They have no origin now.
ALTER TYPE stage.apply_run ALTER ATTRIBUTE origin TYPE stage.row_origin;

-- Shadow tables that are there have letters. Their rows come over here and not when a table is next used, so that nothing ever finds
-- both. Views that look at the column are made anew at their next use, as everything is that another release made.
DO $$
DECLARE
  v_shadow record;
  v_view regclass;
  v_index record;
  v_indexes text[];
BEGIN
  FOR v_shadow IN
    SELECT c.oid, c.oid::regclass AS name, a.attnum FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = to_regnamespace('stage_data') AND c.relkind = 'r' AND a.attname = '_stage_origin'
  LOOP
    FOR v_view IN
      SELECT DISTINCT r.ev_class FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
      WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = v_shadow.oid AND d.refobjsubid = v_shadow.attnum
    LOOP
      EXECUTE format('DROP VIEW %s CASCADE', v_view);
    END LOOP;
    -- a table without a key has one, of no columns but the service's own
    v_indexes := '{}';
    FOR v_index IN
      SELECT DISTINCT d.objid::regclass AS name, pg_get_indexdef(d.objid) AS definition FROM pg_depend d JOIN pg_index i ON i.indexrelid = d.objid
      WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = v_shadow.oid AND d.refobjsubid = v_shadow.attnum
    LOOP
      EXECUTE format('DROP INDEX %s', v_index.name);
      v_indexes := v_indexes || replace(v_index.definition, $q$_stage_origin = 'k'::"char"$q$, $q$_stage_origin = 'overlay'::stage.row_origin$q$);
    END LOOP;
    EXECUTE format($q$ALTER TABLE %s ALTER COLUMN _stage_origin TYPE stage.row_origin
      USING CASE _stage_origin WHEN 'c' THEN 'client' WHEN 'f' THEN 'action' WHEN 'k' THEN 'overlay' END::stage.row_origin$q$, v_shadow.name);
    FOR n IN 1 .. cardinality(v_indexes) LOOP
      EXECUTE v_indexes[n];
    END LOOP;
  END LOOP;
END $$;
