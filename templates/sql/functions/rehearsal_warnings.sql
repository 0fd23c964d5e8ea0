-- Returns what a rollback of this transaction does not undo, or what could not be compared: relations that it wrote to, and triggers on
-- them whose code may have effects outside the transaction.
CREATE OR REPLACE FUNCTION stage.rehearsal_warnings()
RETURNS TABLE (kind text, relation oid, schema_name text, name text, trigger_name text, function_name text, language text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH w AS MATERIALIZED (SELECT * FROM stage.written_relations())
  SELECT CASE w.kind WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign' ELSE 'whole' END, w.relation, (SELECT n.nspname::text FROM pg_namespace n WHERE n.oid = c.relnamespace), c.relname::text, NULL::text, NULL::text, NULL::text
  FROM w JOIN pg_class c ON c.oid = w.relation WHERE w.kind IN ('S', 'f') OR w.is_taken_whole
  UNION ALL
  SELECT DISTINCT ON (w.root, t.tgname) 'trigger', w.root, (SELECT n.nspname::text FROM pg_namespace n WHERE n.oid = c.relnamespace), c.relname::text, t.tgname::text, p.oid::regproc::text, l.lanname::text
  FROM w JOIN pg_class c ON c.oid = w.root JOIN pg_trigger t ON t.tgrelid = w.relation JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang
  WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
    AND (NOT l.lanpltrusted AND l.lanname <> 'internal'
      OR p.prosrc ~* '\m(dblink\w*|copy\M.*\mprogram|pg_background\w*|http\w*|lo_export|pg_terminate_backend|pg_cancel_backend)\M')
  ORDER BY 1, 3, 4, 5;
END $$;
REVOKE ALL ON FUNCTION stage.rehearsal_warnings() FROM PUBLIC;
