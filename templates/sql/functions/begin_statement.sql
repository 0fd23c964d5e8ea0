-- Begins every staged statement: passes its text and parameters to the mutation log, pins planner settings for the transaction, and
-- verifies that the names in it still mean what the proxy took them for. p_relations: [{"schema", "name", "oid", "signature", "rights"},
-- ...], what stage.is_current takes, and rights: what the statement writes, [{"operation", "columns": null | [name, ...]}, ...]; the target
-- of a COPY has "copy": true, a target that is a view has "view": true. p_options: settings for the statement's triggers, e.g.
-- {"stage.overriding_16402": "system"}; those of the previous statement are cleared. p_path: the search path, and the role, under which
-- relations and functions were looked up (see stage.name_context); under another one no name is valid. NULL if the statement has no names.
-- p_stamps: the stamps of the relations, where a function of the overlay can return them (see stage.stamp_when_planned).
CREATE OR REPLACE FUNCTION stage.begin_statement(p_query text, p_params text, p_relations text, p_options text, p_path text, p_stamps text[] DEFAULT '{}')
RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_relations pg_catalog.jsonb := p_relations;
  v_entry pg_catalog.jsonb;
  v_relation pg_catalog.oid;
  v_denied pg_catalog.text;
  v_stamp pg_catalog.text;
  -- The overlay's append has no statistics of its own: costs are over-estimated, and workers and JIT only slow it down. Set first, so that
  -- the next expressions are not compiled either; set by an expression, which costs less than a statement.
  v_set pg_catalog.text := pg_catalog.set_config('jit', 'off', true);
BEGIN
  IF stage.name_context() OPERATOR(pg_catalog.<>) p_path THEN
    RAISE EXCEPTION 'the role or the search path changed' USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
  END IF;
  -- guard: session_replication_role silences no trigger that stages
  IF pg_catalog.current_setting('session_replication_role') OPERATOR(pg_catalog.=) 'replica' THEN PERFORM stage.fire_triggers(); END IF;
  FOR v_index IN 0 .. pg_catalog.jsonb_array_length(v_relations) OPERATOR(pg_catalog.-) 1 LOOP
    v_entry := v_relations OPERATOR(pg_catalog.->) v_index;
    v_stamp := p_stamps[v_index OPERATOR(pg_catalog.+) 1];
    IF NOT stage.is_current(v_entry, v_stamp) THEN
      -- guard: relations are what they were taken for
      RAISE EXCEPTION 'the definition of relation "%" changed', v_entry OPERATOR(pg_catalog.->>) 'name'
        USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
    END IF;
    v_relation := v_entry OPERATOR(pg_catalog.->>) 'oid';
    -- of a function with its owner's rights, stage.demand_rights checks them
    -- guard: a statement needs the grants of its columns
    IF NOT v_entry OPERATOR(pg_catalog.?) 'role' AND v_entry OPERATOR(pg_catalog.->>) 'signature' IS NOT NULL AND NOT stage.has_rights(v_relation, v_entry OPERATOR(pg_catalog.->) 'rights') THEN
      RAISE EXCEPTION 'permission denied for % %', CASE WHEN EXISTS (
          SELECT FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) v_relation AND c.relkind OPERATOR(pg_catalog.=) 'v') THEN 'view' ELSE 'table' END, v_entry OPERATOR(pg_catalog.->>) 'name'
        USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF v_entry OPERATOR(pg_catalog.->>) 'signature' IS NOT NULL
      -- a relation with a stamp is no view, and has no children
      AND (CASE WHEN v_stamp IS NOT NULL THEN stage.seems_empty(v_relation) ELSE stage.misleads_planner(v_relation) END)
    THEN
      PERFORM pg_catalog.set_config('enable_seqscan', 'off', true);  -- until the statement's end
    END IF;
    IF v_entry OPERATOR(pg_catalog.?) 'view' THEN
      v_denied := stage.denied_behind(v_relation, v_entry OPERATOR(pg_catalog.->) 'rights');
      IF v_denied IS NOT NULL THEN
        RAISE EXCEPTION 'permission denied for table %', v_denied USING ERRCODE = 'insufficient_privilege';
      END IF;
    END IF;
    IF p_options OPERATOR(pg_catalog.~~) '%"stage.tripwire"%' AND (v_entry OPERATOR(pg_catalog.->>) 'rights') OPERATOR(pg_catalog.~) 'INSERT|UPDATE'
      AND stage.forbidden_function(v_relation) IS NOT NULL
    THEN
      RAISE EXCEPTION 'permission denied for function %', stage.forbidden_function(v_relation) USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF v_entry OPERATOR(pg_catalog.?) 'copy' AND pg_catalog.row_security_active(v_relation) THEN
      RAISE EXCEPTION 'COPY FROM not supported with row-level security'
        USING ERRCODE = 'feature_not_supported', HINT = 'Use INSERT statements instead.';
    END IF;
  END LOOP;
  IF pg_catalog.current_setting('stage.options', true) OPERATOR(pg_catalog.<>) ALL ('{"","{}"}'::pg_catalog.text[]) THEN
    PERFORM pg_catalog.set_config(o.key, '', true)
    FROM pg_catalog.jsonb_each_text(pg_catalog.current_setting('stage.options')::pg_catalog.jsonb) o;
  END IF;
  IF p_options OPERATOR(pg_catalog.<>) '{}' THEN
    PERFORM pg_catalog.set_config(o.key, o.value, true) FROM pg_catalog.jsonb_each_text(p_options::pg_catalog.jsonb) o;
  END IF;
  IF pg_catalog.current_setting('stage.tripwire', true) OPERATOR(pg_catalog.=) 'on' THEN
    PERFORM pg_catalog.set_config('stage.catalog_writes', stage.catalog_writes()::pg_catalog.text, true);
  END IF;
  IF p_options OPERATOR(pg_catalog.~~) '%"stage.merge\_%' THEN
    -- a MERGE into a view: for some join orders the planner of PostgreSQL 17 and 18 fails (wrong varnullingrels)
    PERFORM pg_catalog.set_config('join_collapse_limit', '1', true), pg_catalog.set_config('from_collapse_limit', '1', true);
  END IF;
  IF pg_catalog.pg_my_temp_schema() OPERATOR(pg_catalog.<>) 0 THEN PERFORM stage.note_temporary(); END IF;
  v_set := pg_catalog.concat(
    pg_catalog.set_config('stage.options', p_options, true),
    pg_catalog.set_config('stage.beyond', '', true),
    pg_catalog.set_config('stage.query', p_query, true),
    pg_catalog.set_config('stage.params', p_params, true),
    pg_catalog.set_config('stage.statement', pg_catalog.nextval('stage.seq')::pg_catalog.text, true),
    -- not newer than the snapshot that the statement reads from
    pg_catalog.set_config('stage.statement_snapshot', pg_catalog.pg_current_snapshot()::pg_catalog.text, true),
    pg_catalog.set_config('max_parallel_workers_per_gather', '0', true));
END $$;
