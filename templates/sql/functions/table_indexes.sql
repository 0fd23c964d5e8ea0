-- Returns the valid btree indexes of a table that its shadow can have, too, as a JSON array (see Index in src/model/table.ts). They are no
-- part of stage.table_definition: adding or dropping one makes no overlay stale.
-- Indexes that depend on more than the shadow's columns already do are left out: code of the database's users would run with the service
-- account's rights, and a migration that drops the code would have to drop the shadow's index first.
CREATE OR REPLACE FUNCTION stage.table_indexes(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'elements', (
          SELECT jsonb_agg(jsonb_build_object(
              'column', a.attname,
              'definition', '(' || pg_get_indexdef(x.indexrelid, g, true) || ')',
              'order', concat(
                CASE WHEN x.indcollation[g - 1] NOT IN (0, coalesce(a.attcollation, 'default'::regcollation))
                     THEN ' COLLATE ' || x.indcollation[g - 1]::regcollation END,
                CASE WHEN NOT oc.opcdefault THEN format(' %I.%I', n.nspname, oc.opcname) END,
                CASE x.indoption[g - 1] WHEN 1 THEN ' DESC NULLS LAST' WHEN 2 THEN ' NULLS FIRST' WHEN 3 THEN ' DESC' END)) ORDER BY g)
          FROM generate_series(1, x.indnkeyatts) g
          JOIN pg_opclass oc ON oc.oid = x.indclass[g - 1]
          JOIN pg_namespace n ON n.oid = oc.opcnamespace
          LEFT JOIN pg_attribute a ON a.attrelid = p_relation AND a.attnum = x.indkey[g - 1] AND a.attnum > 0),
        'predicate', pg_get_expr(x.indpred, x.indrelid)) ORDER BY x.indexrelid), '[]')
    FROM pg_index x
    JOIN pg_class ic ON ic.oid = x.indexrelid
    JOIN pg_am am ON am.oid = ic.relam
    WHERE x.indrelid = p_relation AND am.amname = 'btree' AND x.indisvalid AND x.indislive
      AND NOT EXISTS (
        SELECT FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid AND NOT CASE d.refclassid
          WHEN 'pg_constraint'::regclass THEN true
          WHEN 'pg_class'::regclass THEN d.refobjid = p_relation
          WHEN 'pg_type'::regclass THEN EXISTS (
            SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
            WHERE a.attrelid = p_relation AND a.atttypid = d.refobjid AND t.typtype <> 'd')
          WHEN 'pg_collation'::regclass THEN d.refobjid IN (
            SELECT a.attcollation FROM pg_attribute a WHERE a.attrelid = p_relation
            UNION ALL SELECT c.oid FROM pg_collation c WHERE c.collnamespace = 'pg_catalog'::regnamespace)
          -- it is dropped with its extension, and so is the type
          WHEN 'pg_opclass'::regclass THEN EXISTS (
            SELECT FROM pg_opclass c JOIN pg_depend e ON e.classid = 'pg_type'::regclass AND e.objid = c.opcintype
            WHERE c.oid = d.refobjid AND c.opcdefault AND e.deptype = 'e')
          ELSE false END)
  );
END $$;
