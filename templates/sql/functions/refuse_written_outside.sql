-- Checks, together with COMMIT, that the transaction has written nothing outside the service's own schemas. Otherwise it fails, which rolls
-- the transaction back. It leaves the transaction READ ONLY, so that COMMIT cannot write anything unchecked.
-- It does not have to be enabled. It checks
--  * the counters of the system catalogs: all DDL, roles, rights, large objects. The locks on catalogs are released early.
--  * the locks: nothing writes to a relation without ROW EXCLUSIVE or more, whatever the settings, and the lock stays to the end, except of
--    a savepoint that was rolled back to. Sequences do not count: keys are drawn from them on purpose.
--  * cursors WITH HOLD, whose query COMMIT would run: only the client's own, in a READ ONLY transaction, may be there. COMMIT runs deferred
--    triggers, too, but these cannot write any more.
-- p_nonce, p_counted: how many of the counted rows the transaction did not write, see stage.note_counted, stage.merge_target and
-- stage.end_definition: as noted inside the transaction under the nonce, and as the proxy knows them. Dropped relations, and rows of event
-- triggers, are known by the nonce alone. The rights of the role do not matter: checks, operators and the like of staged rows run with those
-- of the service.
-- Returns what the catalogs' counters show, which the next transaction may still see; null when they were not read.
-- It takes 85 (PostgreSQL 15) to 150 us (18) with 100 tables as with 10,000, beside 2 idle connections as beside 200; 8 us where no row was
-- written. But pg_lock_status() returns the locks of all connections, at 0.2 us each: 0.8 to 1.2 ms in all beside 200 connections that are
-- in transactions which have read an overlay. The counters of all tables take 1 to 2 us for each table.
CREATE OR REPLACE FUNCTION stage.refuse_written_outside(p_nonce text DEFAULT NULL, p_counted bigint DEFAULT 0)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_writes bigint;
  v_is_counted boolean := false;
  v_written text;
  v_access text;
BEGIN
  -- COMMIT runs the query of a cursor WITH HOLD to its end, and nothing would keep the code in it from writing; READ ONLY does not keep it
  -- from ANALYZE and the like. The proxy lets a client declare none if writing is possible, nor for a query that runs code of users.
  IF EXISTS (
    SELECT FROM pg_cursor() c
    WHERE c.is_holdable AND c.creation_time >= transaction_timestamp()
      -- guard: COMMIT runs no query of a cursor that a function has declared
      AND (NOT current_setting('transaction_read_only')::boolean OR p_nonce IS NULL
        OR NOT stage.held(p_nonce) @> jsonb_build_array(jsonb_build_array(c.name, extract(epoch FROM c.creation_time))))
  ) THEN
    RAISE EXCEPTION 'cannot commit a transaction in which a function has declared a cursor WITH HOLD' USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Have the function declare it WITHOUT HOLD.';
  END IF;
  -- a transaction without an id has written no row of any table
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    IF NOT current_setting('track_counts')::boolean THEN
      RAISE EXCEPTION 'cannot tell whether the transaction has written to the system catalogs' USING ERRCODE = 'feature_not_supported',
        HINT = 'Nothing was written. Turn the setting track_counts on.';
    END IF;
    -- guard: catalog writes of a transaction are checked before COMMIT
    v_writes := stage.catalog_writes();
    IF v_writes > 0 THEN
      PERFORM pg_stat_force_next_flush();  -- also on failure: these writes must not count for the next transaction
      v_is_counted := v_writes > greatest(0, p_counted, CASE WHEN p_nonce IS NOT NULL THEN stage.counted(p_nonce) END);
    END IF;
    SELECT coalesce('"' || i.identity || '"', 'a relation that it dropped') INTO v_written
    FROM pg_lock_status() l
    -- looked up by OID, not by the transaction's snapshot: tables may be newer than the snapshot
    CROSS JOIN LATERAL (SELECT i.* FROM pg_identify_object('pg_class'::regclass, l.relation, 0) i OFFSET 0) i
    -- guard: the locks of a transaction are checked before COMMIT
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.mode <> ALL ('{AccessShareLock,RowShareLock,SIReadLock}')
      -- a toast table is written only together with its table, and writes to the catalogs are counted
      AND l.relation::regclass::text !~ '^(stage|stage_data|pg_toast(_temp_[0-9]+)?)[.]'
      AND (l.relation >= 16384 OR i.schema <> 'pg_catalog')
      -- a write through a view locks its table, too; a relation that was dropped is none of these
      AND (i.type = 'view' OR i.type = 'sequence' AND l.mode = 'RowExclusiveLock'
        -- temporary tables are the connection's own
        OR i.identity ~ '^pg_temp[.]') IS NOT TRUE
      AND NOT (i.identity IS NULL AND p_nonce IS NOT NULL AND l.relation = ANY (stage.dropped(p_nonce)))
      -- guard: a table in which event triggers log is not emptied by others
      AND NOT (p_nonce IS NOT NULL AND l.mode = 'RowExclusiveLock' AND stage.is_logged(l.relation, stage.logged(p_nonce)))
    ORDER BY i.identity IS NULL, i.type = 'index'  -- the name of a table is more useful than that of an index
    LIMIT 1;
  END IF;
  IF v_is_counted AND v_written IS NULL THEN
    SELECT '"' || c.relname || '"' INTO v_written
    FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'pg_catalog'::regnamespace
      AND pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid) > 0
    -- most objects have rows in these catalogs, too
    ORDER BY coalesce(array_position('{pg_type,pg_attribute,pg_shdepend,pg_depend}', c.relname), 0), c.relname
    LIMIT 1;
  END IF;
  IF v_is_counted OR v_written IS NOT NULL THEN
    RAISE EXCEPTION 'cannot commit a transaction that has written to %', v_written USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Leave out what writes, or stage its effect by a statement of its own.';
  END IF;
  -- guard: COMMIT cannot write anything that the commit check has not seen
  v_access := set_config('transaction_read_only', 'on', true);
  RETURN v_writes;
END $$;
