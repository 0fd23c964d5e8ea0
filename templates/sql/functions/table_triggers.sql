-- Returns the triggers of a table that fire for users, as a JSON array in the order in which they fire (see Trigger in src/model/table.ts).
-- The obstacle is the reason why one does not fire while rows are staged, if the catalogs show one, as the end of "trigger ...".
CREATE OR REPLACE FUNCTION stage.table_triggers(p_relation oid) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET quote_all_identifiers = off AS $$
DECLARE
  v_partitioned boolean := EXISTS (SELECT FROM pg_class c WHERE c.oid = p_relation AND c.relkind = 'p');
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'name', t.tgname,
        'timing', CASE WHEN t.tgtype & 2 <> 0 THEN 'before' ELSE 'after' END,
        'level', CASE WHEN t.tgtype & 1 <> 0 THEN 'row' ELSE 'statement' END,
        'events', (SELECT coalesce(jsonb_agg(e.name), '[]') FROM (VALUES (4, 'insert'), (16, 'update'), (8, 'delete'), (32, 'truncate')) e(bit, name) WHERE t.tgtype & e.bit <> 0),
        'columns', (SELECT jsonb_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr::int2[])),
        'arguments', to_jsonb(x.arguments),
        'oldTable', t.tgoldtable,
        'newTable', t.tgnewtable,
        'deferred', CASE WHEN t.tgdeferrable THEN t.tginitdeferred END,
        'definition', CASE WHEN t.tgqual IS NOT NULL THEN pg_get_triggerdef(t.oid) END,
        'function', jsonb_build_object('schema', n.nspname, 'name', p.proname, 'body', coalesce(b.body, p.prosrc), 'path', stage.own_path(p.proconfig), 'gated', CASE WHEN g.gated THEN to_jsonb(x.arguments[3:]) END,
          'definer', CASE WHEN p.prosecdef THEN jsonb_build_object('role', p.proowner::int8, 'name', pg_get_userbyid(p.proowner)) END),
        'obstacle', CASE
          WHEN t.tgtype & 1 <> 0 AND f.obstacle IS NOT NULL THEN f.obstacle
          WHEN b.body IS NULL AND NOT g.gated THEN 'is not written in PL/pgSQL'
          WHEN t.tgdeferrable AND p.prosecdef THEN 'is a deferrable constraint trigger that runs with its owner''s rights'
          WHEN t.tgtype & 1 <> 0 AND (t.tgoldtable IS NOT NULL OR t.tgnewtable IS NOT NULL) THEN 'reads transition tables for each row'
          -- guard: a BEFORE STATEMENT trigger with its owner's rights does not fire with those of a client
          WHEN p.prosecdef AND t.tgtype & 2 <> 0 AND (t.tgtype & 1 = 0 OR g.gated) THEN 'runs with its owner''s rights before a statement'
          WHEN stage.settings_obstacle(p.proconfig) IS NOT NULL THEN stage.settings_obstacle(p.proconfig)
          WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr::int2[]) AND a.attgenerated <> '')
            THEN 'waits for updates of a generated column'
          WHEN EXISTS (SELECT FROM stage.called_in(t.tgqual::text) f(function) JOIN pg_proc c ON c.oid = f.function
                       WHERE c.provolatile = 'v' OR c.oid >= 16384 OR stage.is_user_code(c.oid))
            THEN 'calls functions in its condition'
          -- guard: the condition of a trigger runs no checks of domains with the rights of the service
          WHEN t.tgqual::text ~ '{COERCETODOMAIN' AND stage.domains_run_code() THEN 'calls functions in its condition'
          WHEN t.tgqual::text ~ ':varattno -[0-9]' THEN 'reads system columns' END) ORDER BY t.tgname), '[]')
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_namespace n ON n.oid = p.pronamespace CROSS JOIN LATERAL (SELECT stage.trigger_arguments(t.tgargs, t.tgnargs)) x (arguments)
    CROSS JOIN LATERAL (SELECT stage.trigger_body(t.oid)) b (body)
    -- BEFORE and FOR EACH ROW, for INSERT or UPDATE
    CROSS JOIN LATERAL (SELECT t.tgfoid IN ('tsvector_update_trigger'::regproc, 'tsvector_update_trigger_column'::regproc) AND t.tgtype & 11 = 3 AND t.tgnargs > 2) g (gated)
    CROSS JOIN LATERAL (SELECT CASE WHEN v_partitioned THEN stage.partitions_obstacle(p_relation) END) f (obstacle)
    WHERE t.tgrelid = p_relation AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
  );
END $$;
