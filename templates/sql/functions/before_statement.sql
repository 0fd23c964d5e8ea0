-- Locks the session, so that it is not proposed while the statement runs, records the table as one of the session's, and draws the
-- mutation's id.
-- The BEFORE STATEMENT trigger of every overlay view. TG_ARGV[0] names the table and the operation, e.g. 16402_u; TG_ARGV[1] is the
-- operation where it differs from that of the trigger; TG_ARGV[2] are the tables that get the rows, where they are several.
CREATE OR REPLACE FUNCTION stage.before_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_status text;
  v_edited xid8;
  v_policy bigint;
  v_id text := nextval('stage.seq')::text;
  v_statement text;
  v_set text;
  v_operation text := coalesce(TG_ARGV[1], TG_OP);
  v_session uuid := current_setting('stage.session');
  v_relation oid := split_part(TG_ARGV[0], '_', 1);
  v_is_parked boolean;
  v_is_known boolean;
  -- a role that may only read stages what it could not write, see stage.demand_rights
  v_by_right boolean := coalesce(current_setting('stage.by_right', true), '') = 'on';
BEGIN
  -- checked always, whatever the settings below claim: a client that goes around the proxy can set them
  SELECT s.status, s.edited,
    -- 0 if no policy was ever set: nothing is checked then
    (SELECT h.version FROM stage.policy_head h)
  INTO v_status, v_edited, v_policy FROM stage.session s WHERE s.id = v_session FOR SHARE;
  -- guard: a session that is no longer active takes no writes
  IF v_status IS DISTINCT FROM 'active' THEN
    RAISE EXCEPTION 'cannot execute % in a session that is %', v_operation, coalesce(v_status, 'deleted')
      USING ERRCODE = 'read_only_sql_transaction', HINT = CASE v_status WHEN 'proposed'
        THEN 'Have it reopened (stage reopen), or stage further changes in a new session.' ELSE 'Stage further changes in a new session.' END;
  END IF;
  -- rows that the statement has read may have been unstaged since, and leave no version that the write could collide with
  -- guard: a statement does not build on rows that were unstaged meanwhile
  IF v_edited IS NOT NULL AND NOT pg_visible_in_snapshot(v_edited, coalesce(nullif(current_setting('stage.statement_snapshot', true), ''), '1:1:')::pg_snapshot) THEN
    PERFORM stage.raise_changed();
  END IF;
  SELECT EXISTS (SELECT 1 FROM stage.parked_table p WHERE p.session = v_session),
    -- NULL if it is not read, see stage.note_tables
    CASE WHEN TG_ARGV[2] IS NULL AND current_setting('transaction_isolation') <> 'serializable'
      THEN EXISTS (SELECT 1 FROM stage.staged_table t WHERE t.session = v_session AND t.relation = v_relation AND t.by_right <= v_by_right) END
  INTO v_is_parked, v_is_known;
  IF v_is_parked THEN
    RAISE EXCEPTION 'cannot execute % in a session whose staged rows a change of their table has made ambiguous', v_operation
      USING ERRCODE = 'object_in_use', HINT = 'Check the conflicts of the session, reject it, and stage the changes in a new one.';
  END IF;
  -- guard: reviews know the tables in which a session stages
  IF v_is_known IS NOT TRUE THEN PERFORM stage.note_tables(v_session, coalesce(TG_ARGV[2]::oid[], ARRAY[v_relation]), v_by_right AND TG_ARGV[2] IS NULL); END IF;
  v_statement := current_setting('stage.statement');
  PERFORM set_config('stage.by_right', '', true) WHERE v_by_right;
  -- each statement of a function that the client called is one of its own
  IF current_setting('stage.called', true) = 'on' THEN v_statement := stage.enter_call(TG_ARGV[0], v_id); END IF;
  IF v_policy > 0 THEN
    PERFORM stage.note_checked(split_part(TG_ARGV[0], '_', 1), pg_trigger_depth() = 1 AND current_setting('stage.mutations_of', true) IS DISTINCT FROM v_statement);
  END IF;
  IF pg_trigger_depth() > 1 THEN  -- a foreign key's action, or what a trigger writes: part of the mutation that caused it
    -- guard: no trigger writes back to the table into which the row is upserted for which it fires
    IF strpos(current_setting('stage.firing', true), concat(' ', TG_ARGV[0], ' ')) > 0 THEN
      RAISE EXCEPTION 'cannot stage what a BEFORE trigger of "%" makes a trigger write to it for a row of the same statement', (SELECT c.relname FROM pg_class c WHERE c.oid = v_relation)
        USING ERRCODE = 'feature_not_supported', HINT = 'Write the row by a statement without ON CONFLICT, and before PostgreSQL 17 without MERGE.';
    END IF;
    -- an OVERRIDING clause belongs to the client's own statement, or to an upsert that passes on the value it has drawn
    PERFORM set_config('stage.overriding_' || split_part(TG_ARGV[0], '_', 1), '', true)
    WHERE current_setting('stage.origin', true) = 'trigger' AND coalesce(current_setting('stage.upserted_' || split_part(TG_ARGV[0], '_', 1), true), '') = '';
    PERFORM set_config('stage.start_' || TG_ARGV[0], v_id, true),
            set_config('stage.wrote_' || split_part(TG_ARGV[0], '_', 1), v_id, true),
            set_config('stage.mutation_' || TG_ARGV[0], current_setting('stage.mutation'), true);
    RETURN NULL;
  END IF;
  -- two writes of one kind to one table in one statement (WITH ... two INSERTs) are one mutation
  IF current_setting('stage.statement_' || TG_ARGV[0], true) = v_statement THEN
    RETURN NULL;
  END IF;
  -- by an expression, which costs less than a statement
  v_set := concat(
    -- the mutations of all kinds of writes in this statement: a row that one of them has touched is left alone by the others
    set_config('stage.mutations', CASE WHEN current_setting('stage.mutations_of', true) = v_statement
      THEN current_setting('stage.mutations') || ',' ELSE '' END || v_id, true),
    set_config('stage.mutations_of', v_statement, true),
    -- every row this statement stages has a greater _stage_seq than its mutation's id
    set_config('stage.statement_' || TG_ARGV[0], v_statement, true),
    set_config('stage.own_' || TG_ARGV[0], v_id, true),
    set_config('stage.mutation_' || TG_ARGV[0], v_id, true),
    set_config('stage.start_' || TG_ARGV[0], v_id, true),
    set_config('stage.mutation', v_id, true),
    set_config('stage.queue', '', true),
    set_config('stage.inner', '', true),
    -- every row that this transaction stages has a greater _stage_seq than this
    set_config('stage.began', coalesce(nullif(current_setting('stage.began', true), ''), v_id), true),
    -- plans that the row triggers cache while a shadow table is nearly empty must not use a sequential scan
    set_config('enable_seqscan', 'off', true));
  RETURN NULL;
END $$;
