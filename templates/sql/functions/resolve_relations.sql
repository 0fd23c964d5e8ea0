-- Returns the meanings of the names in a statement on the caller's connection, under its own search_path and rights. Takes [{"schema": null
-- | text, "name": text, "only": boolean, "target": null | text}, ...]; returns an array in the same order. The settings force index scans,
-- see stage.definition_stamp.
-- Each fact is read by a statement of its own, and only where the relation can have it: a new connection plans each query, which takes
-- longer than running it.
CREATE OR REPLACE FUNCTION stage.resolve_relations(p_names jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_names pg_catalog.jsonb := stage.where_bound(p_names);
  v_results pg_catalog.jsonb := '[]';
  v_name pg_catalog.jsonb;
  v_relation pg_catalog.oid;
  v_class pg_catalog.pg_class;
  v_kind pg_catalog.text;
  v_schema pg_catalog.name;
  v_staged stage.staged_view;
  v_overlay stage.overlay;
  v_table pg_catalog.oid;         -- that a write changes
  v_is_target pg_catalog.bool;
  v_is_table pg_catalog.bool;     -- with rows of its own, or partitions
  v_has_view pg_catalog.bool;     -- an overlay view
  v_has_children pg_catalog.bool;
  v_is_own pg_catalog.bool;       -- the overlay is that of the relation itself
  v_stamp pg_catalog.text;
  v_columns pg_catalog.jsonb;
  v_drawn pg_catalog.int2[];      -- the columns whose default advances a sequence
  v_waits pg_catalog.bool;
  v_fires pg_catalog.bool;        -- triggers whose writes run user code
  v_has_policies pg_catalog.bool;
  v_uniques pg_catalog.jsonb;
  v_key pg_catalog.jsonb;
  v_dependents pg_catalog.jsonb;
BEGIN
  FOR v_index IN 0 .. pg_catalog.jsonb_array_length(v_names) OPERATOR(pg_catalog.-) 1 LOOP
    v_name := v_names OPERATOR(pg_catalog.->) v_index;
    v_relation := stage.relation_named(v_name);
    SELECT c.* INTO v_class FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) v_relation;
    SELECT n.nspname INTO v_schema FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) v_class.relnamespace;
    v_kind := CASE
      WHEN v_class.oid IS NULL THEN 'none'
      WHEN v_schema OPERATOR(pg_catalog.=) ANY ('{pg_catalog,information_schema,pg_toast}'::pg_catalog.name[]) THEN 'system'
      WHEN stage.is_internal_schema(v_class.relnamespace) THEN 'stage'
      WHEN v_class.relpersistence OPERATOR(pg_catalog.=) 't' THEN
        CASE WHEN v_class.relnamespace OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema() THEN 'temporary' ELSE 'other' END
      WHEN v_class.relkind OPERATOR(pg_catalog.=) 'r' THEN 'table'
      WHEN v_class.relkind OPERATOR(pg_catalog.=) 'p' THEN 'partitioned'
      WHEN v_class.relkind OPERATOR(pg_catalog.=) 'v' THEN 'view'
      WHEN v_class.relkind OPERATOR(pg_catalog.=) 'm' THEN 'materialized'
      WHEN v_class.relkind OPERATOR(pg_catalog.=) 'f' THEN 'foreign'
      WHEN v_class.relkind OPERATOR(pg_catalog.=) 'S' THEN 'sequence'
      ELSE 'other' END;
    v_staged := NULL;
    -- a staged view of a former partition does not count
    IF v_class.relkind OPERATOR(pg_catalog.=) 'v' OR v_class.relispartition THEN
      SELECT t.* INTO v_staged FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) v_class.oid;
    END IF;
    v_table := coalesce(v_staged.target, v_class.oid);
    SELECT o.* INTO v_overlay FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) v_table;
    v_is_target := v_name OPERATOR(pg_catalog.->>) 'target' IS NOT NULL;
    v_is_table := coalesce(v_class.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog."char"[]), false);
    v_is_own := coalesce(v_overlay.relation OPERATOR(pg_catalog.=) v_class.oid, false);
    v_has_view := v_class.oid IS NOT NULL AND stage.overlay_of(v_class.oid) IS NOT NULL;
    v_has_children := coalesce(v_class.relhassubclass, false);

    v_stamp := NULL;
    -- the stamp of a plain table depends on nothing but what its function covers (see stage.stamped_relations)
    -- guard: of a table with children no stamp is remembered
    IF v_is_own AND v_class.relkind OPERATOR(pg_catalog.=) 'r' AND NOT v_class.relispartition AND NOT v_has_children THEN
      v_stamp := pg_catalog.concat('stage_overlay_', v_class.relnamespace, '.stamp_', v_class.oid);
      IF pg_catalog.to_regprocedure(v_stamp OPERATOR(pg_catalog.||) '()') IS NULL
        OR NOT stage.is_internal_schema(pg_catalog.to_regnamespace(pg_catalog.split_part(v_stamp, '.', 1))::pg_catalog.oid)
      THEN
        v_stamp := NULL;
      END IF;
    END IF;

    v_columns := '[]';
    IF v_is_table THEN
      v_drawn := ARRAY(SELECT d.adnum FROM pg_catalog.pg_attrdef d
        WHERE d.adrelid OPERATOR(pg_catalog.=) v_class.oid AND pg_catalog.pg_get_expr(d.adbin, d.adrelid) OPERATOR(pg_catalog.~~) '%nextval(%');
      SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
          'name', a.attname, 'generated', a.attgenerated OPERATOR(pg_catalog.<>) '', 'always', a.attidentity OPERATOR(pg_catalog.=) 'a',
          'drawn', a.attidentity OPERATOR(pg_catalog.<>) '' OR a.attnum OPERATOR(pg_catalog.=) ANY (v_drawn),
          'domain', y.typtype OPERATOR(pg_catalog.=) 'd') ORDER BY a.attnum), '[]')
      INTO v_columns
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid OPERATOR(pg_catalog.=) a.atttypid
      WHERE a.attrelid OPERATOR(pg_catalog.=) v_class.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped;
    END IF;

    v_waits := false;
    v_fires := false;
    v_has_policies := false;
    IF v_is_target AND v_class.oid IS NOT NULL THEN
      -- pg_class tells whether a table has triggers; of a table behind a view it is not read
      IF v_class.relhastriggers OR v_table OPERATOR(pg_catalog.<>) v_class.oid THEN
        v_waits := EXISTS (
          SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid OPERATOR(pg_catalog.=) v_table AND (g.tgattr::pg_catalog.text OPERATOR(pg_catalog.<>) ''
            -- these use the columns of the statement, too
            OR g.tgfoid OPERATOR(pg_catalog.=) ANY ('{3752,3753}'::pg_catalog.oid[])));
      END IF;
      -- guard: what triggers write runs user code under the tripwire
      IF v_overlay.trigger_uses OPERATOR(pg_catalog.->) 'written' OPERATOR(pg_catalog.<>) '[]' THEN v_fires := stage.fires_code(v_table); END IF;
      IF v_class.relkind OPERATOR(pg_catalog.=) 'v' THEN
        v_has_policies := EXISTS (SELECT FROM pg_catalog.pg_class w WHERE w.oid OPERATOR(pg_catalog.=) v_staged.target AND w.relrowsecurity);
      ELSE
        v_has_policies := v_class.relrowsecurity;
      END IF;
    END IF;

    -- a snapshot older than the overlay does not show the overlay's row in the registry; ON CONFLICT cannot mean the indexes of single
    -- partitions if these are not named
    v_uniques := CASE WHEN NOT v_class.relispartition THEN v_overlay.uniques END;
    v_dependents := CASE WHEN v_is_own THEN v_overlay.dependents END;
    IF v_has_view THEN
      IF v_uniques IS NULL THEN v_uniques := stage.table_uniques(v_class.oid); END IF;
      IF v_dependents IS NULL AND v_is_table THEN v_dependents := stage.dependent_columns(v_class.oid); END IF;
    END IF;

    v_key := '[]';
    IF v_is_own THEN
      v_key := coalesce(pg_catalog.to_jsonb(v_overlay.key_columns), '[]');
      -- the flag of pg_class stays when the last child is dropped
      IF v_has_children AND v_class.relkind OPERATOR(pg_catalog.<>) 'p' THEN
        IF EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent OPERATOR(pg_catalog.=) v_class.oid) THEN v_key := '[]'; END IF;
      END IF;
    END IF;

    v_results := v_results OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object(
      'oid', v_class.oid::pg_catalog.int8,
      'kind', v_kind,
      'schema', v_schema,
      'namespace', v_class.relnamespace::pg_catalog.int8,
      'standIn', stage.stand_in(v_class.oid, v_kind, coalesce((v_name OPERATOR(pg_catalog.->>) 'only')::pg_catalog.bool, false), v_name OPERATOR(pg_catalog.->>) 'target'),
      'isPlain', v_kind OPERATOR(pg_catalog.=) 'table' AND NOT v_class.relispartition AND NOT v_has_children AND NOT v_class.relrowsecurity,
      'origins', CASE WHEN v_has_view OR v_has_children THEN stage.result_origins(v_class.oid) END,
      'stamp', v_stamp,
      'upsert', CASE WHEN v_has_view THEN pg_catalog.jsonb_build_object(
        'schema', 'stage_upsert_' OPERATOR(pg_catalog.||) v_class.relnamespace::pg_catalog.text, 'name', v_class.relname) END,
      -- the load view of that name is the relation's own where its table exists, and the registry has the relation under that name
      'load', CASE WHEN v_is_own AND v_overlay.table_name OPERATOR(pg_catalog.=) v_class.relname AND v_overlay.namespace OPERATOR(pg_catalog.=) v_class.relnamespace
        THEN stage.load_of(v_class.oid) END,
      'columns', v_columns,
      'table', v_table::pg_catalog.int8,
      'tableColumns', v_staged.target_columns,
      'waitsForColumns', v_waits,
      'hasPolicies', v_has_policies,
      'writing', CASE WHEN v_class.relkind OPERATOR(pg_catalog.=) 'v' AND NOT stage.is_internal_schema(v_class.relnamespace) THEN stage.view_writing(v_class.oid) END,
      'merge', CASE WHEN v_has_view AND v_class.relkind OPERATOR(pg_catalog.<>) 'v' AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog.<) 170000
        THEN pg_catalog.concat('_stage_merge_', v_class.oid) END,
      'uniques', pg_catalog.jsonb_path_query_array(coalesce(v_uniques, '[]'), '$[*] ? (@.ofPartition != true)'),
      'key', v_key,
      'dependents', v_dependents,
      'code', v_class.oid IS NOT NULL AND (v_fires OR stage.runs_code(CASE WHEN v_class.relispartition THEN pg_catalog.pg_partition_root(v_class.oid) ELSE v_class.oid END)),
      'calls', CASE WHEN v_class.oid IS NOT NULL AND v_is_target THEN stage.definition_calls(v_table) ELSE '[]' END,
      'parked', CASE WHEN v_has_view OR v_has_children
        THEN stage.has_parked(v_class.oid, (v_name OPERATOR(pg_catalog.->>) 'only')::pg_catalog.bool IS TRUE) ELSE false END));
  END LOOP;
  RETURN v_results;
END $$;
