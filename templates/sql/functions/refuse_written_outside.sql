-- The wall before COMMIT, sent with it: shows that the transaction has written nothing outside the service's own schemas, else
-- fails, which rolls it back; and leaves the transaction READ ONLY, so that COMMIT cannot write what was not looked at.
-- Nothing arms it. It looks at
--  * the counters of the system catalogs: all DDL, roles, rights, large objects. Their locks are let go early.
--  * the locks: nothing writes to a relation without ROW EXCLUSIVE or more, whatever the settings, and the lock stays to the end,
--    except of a savepoint that was rolled back to. Sequences do not count: keys are drawn from them on purpose.
--  * cursors WITH HOLD, whose query COMMIT would run. Deferred triggers, which it runs, too, cannot write any more.
-- p_nonce, p_counted: what of the counters is no write of the transaction, see stage.note_counted, stage.merge_target and
-- stage.end_definition: as noted inside it under the nonce, and as the proxy was told. Of dropped relations only the nonce tells. Which rights the role has does not matter: checks, operators and the like of
-- what is staged run with those of the service.
-- Gives what the catalogs' counters show, which the next transaction may still see; null when they were not looked at.
-- It takes 85 (PostgreSQL 15) to 150 us (18) with 100 tables as with 10,000, beside 2 idle connections as beside 200; 8 where no row
-- was written. But pg_lock_status() tells of everybody's locks, at 0.2 us each: 0.8 to 1.2 ms in all beside 200
-- connections that are in transactions which have read an overlay. The counters of all tables take 1 to 2 us for each table.
CREATE OR REPLACE FUNCTION stage.refuse_written_outside(p_nonce text DEFAULT NULL, p_counted bigint DEFAULT 0)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off AS $$
DECLARE
  v_writes bigint;
  v_is_counted boolean := false;
  v_written text;
  v_access text;
BEGIN
  -- COMMIT runs the query of a cursor WITH HOLD to its end, and nothing would keep the code in it from writing. The proxy lets none be
  -- declared where writing is possible, but a function that is called may have declared one.
  IF NOT current_setting('transaction_read_only')::boolean AND EXISTS (SELECT FROM pg_cursor() c WHERE c.is_holdable AND c.creation_time >= transaction_timestamp()) THEN
    RAISE EXCEPTION 'cannot commit a transaction in which a function has declared a cursor WITH HOLD' USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Have the function declare it WITHOUT HOLD, or call it in a READ ONLY transaction.';
  END IF;
  -- no row of any table is written without one
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    IF NOT current_setting('track_counts')::boolean THEN
      RAISE EXCEPTION 'cannot tell whether the transaction has written to the system catalogs' USING ERRCODE = 'feature_not_supported',
        HINT = 'Nothing was written. Turn the setting track_counts on.';
    END IF;
    -- guard: what a transaction has written to the catalogs is looked at before COMMIT
    v_writes := stage.catalog_writes();
    IF v_writes > 0 THEN
      PERFORM pg_stat_force_next_flush();  -- also where it fails: the next transaction is not held to this one's writes
      v_is_counted := v_writes > greatest(0, p_counted, CASE WHEN p_nonce IS NOT NULL THEN stage.counted(p_nonce) END);
    END IF;
    SELECT coalesce('"' || i.identity || '"', 'a relation that it dropped') INTO v_written
    FROM pg_lock_status() l
    -- looked up by OID, not in the transaction's snapshot: tables may be newer than it
    CROSS JOIN LATERAL (SELECT i.* FROM pg_identify_object('pg_class'::regclass, l.relation, 0) i OFFSET 0) i
    -- guard: the locks of a transaction are looked at before COMMIT
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.mode <> ALL ('{AccessShareLock,RowShareLock,SIReadLock}')
      -- no toast table is written without its table, and the catalogs are counted
      AND l.relation::regclass::text !~ '^(stage|stage_data|pg_toast(_temp_[0-9]+)?)[.]'
      AND (l.relation >= 16384 OR i.schema <> 'pg_catalog')
      -- what is written through a view locks its table, too; a relation that is dropped is none of these
      AND (i.type = 'view' OR i.type = 'sequence' AND l.mode = 'RowExclusiveLock'
        -- temporary tables are the connection's own
        OR i.identity ~ '^pg_temp[.]') IS NOT TRUE
      AND NOT (i.identity IS NULL AND p_nonce IS NOT NULL AND l.relation = ANY (stage.dropped(p_nonce)))
    ORDER BY i.identity IS NULL, i.type = 'index'  -- a table tells more
    LIMIT 1;
  END IF;
  IF v_is_counted AND v_written IS NULL THEN
    SELECT '"' || c.relname || '"' INTO v_written
    FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'pg_catalog'::regnamespace
      AND pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid) > 0
    -- most objects have rows in these beside their own
    ORDER BY coalesce(array_position('{pg_type,pg_attribute,pg_shdepend,pg_depend}', c.relname), 0), c.relname
    LIMIT 1;
  END IF;
  IF v_is_counted OR v_written IS NOT NULL THEN
    RAISE EXCEPTION 'cannot commit a transaction that has written to %', v_written USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Leave out what writes, or stage its effect by a statement of its own.';
  END IF;
  -- guard: COMMIT cannot write what was not looked at
  v_access := set_config('transaction_read_only', 'on', true);
  RETURN v_writes;
END $$;
