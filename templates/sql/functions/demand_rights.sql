-- Checks the client's rights on a table. The first BEFORE STATEMENT trigger of every overlay view. TG_ARGV[0] is the production table,
-- TG_ARGV[1] the operation where it differs from that of the trigger. The triggers after it run with the service account's rights: a role
-- without rights on the table must not learn from their errors what the table contains.
-- A role that may write to the table at all needs the right to this operation; one that may only read, which is recommended, stages for
-- others to approve. stage.has_rights checks columns. Not SECURITY DEFINER: it checks the client's rights. A TRUNCATE, which needs a right
-- of its own, arrives here as a DELETE that is checked later. In a copy with the rights of the owner of its function, these are checked.
CREATE OR REPLACE FUNCTION stage.demand_rights() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_table oid := TG_ARGV[0];
  v_granted boolean;
  v_operation text := coalesce(TG_ARGV[1], TG_OP);
  -- stage.begin_statement checks the columns of a write that calls functions
  -- guard: a function writes with the client's rights to the whole table
  v_by_function boolean := coalesce(current_setting('stage.called', true), '') = 'on' AND pg_trigger_depth() = 1 AND coalesce(current_setting('stage.calling', true), '') <> concat(v_table, '_', lower(left(v_operation, 1)));
  v_by_trigger boolean := pg_trigger_depth() > 1 AND coalesce(current_setting('stage.origin', true), '') = 'trigger';
  -- a function with its owner's rights is running; actions of foreign keys run with those of the service account
  v_as_owner boolean := current_user <> coalesce(nullif(current_setting('role'), 'none'), session_user)
    AND current_user <> (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n WHERE n.nspname = 'stage');
  v_by_right boolean;
BEGIN
  -- guard: a function with its owner's rights writes where the owner may write
  IF v_as_owner OR has_table_privilege(v_table, 'INSERT, UPDATE, DELETE') OR has_any_column_privilege(v_table, 'INSERT, UPDATE') THEN
    -- guard: a trigger writes with the client's rights: no statement names the columns that it sets
    v_granted := CASE WHEN v_by_trigger OR v_by_function OR v_as_owner THEN has_table_privilege(v_table, v_operation) WHEN v_operation = 'DELETE' THEN has_table_privilege(v_table, 'DELETE')
        OR current_setting('stage.check_later', true) = 'on' AND has_table_privilege(v_table, 'TRUNCATE') ELSE has_any_column_privilege(v_table, v_operation) END;
  ELSE
    v_granted := has_any_column_privilege(v_table, 'SELECT');
  END IF;
  -- guard: a role without rights on a table stages nothing in it
  IF NOT v_granted THEN
    -- an empty hint would be sent
    IF NOT v_by_trigger OR v_as_owner THEN RAISE EXCEPTION 'permission denied for table %', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege'; END IF;
    RAISE EXCEPTION 'permission denied for table %', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege',
      HINT = format('The trigger %s writes to it with the rights of the role that connects: GRANT SELECT, or %s, ON it to the role.',
        current_setting('stage.trigger', true), v_operation);
  END IF;
  -- guard: a function with its owner's rights writes past no policies
  IF v_as_owner AND row_security_active(v_table) THEN
    RAISE EXCEPTION 'cannot stage what a function writes to "%" with the rights of a role for which the table has policies', TG_TABLE_NAME
      USING ERRCODE = 'feature_not_supported', HINT = 'Run its INSERT, UPDATE and DELETE statements themselves.';
  END IF;
  -- guard: a function or a trigger writes to no schema that the client may not use
  IF (v_by_trigger OR v_by_function) AND NOT has_schema_privilege((SELECT c.relnamespace FROM pg_class c WHERE c.oid = v_table), 'USAGE') THEN
    RAISE EXCEPTION 'permission denied for schema %', (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = v_table)
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- stage.begin_statement checks the same for tables that the client's statement names
  -- guard: a table's checks call nothing for a function or a trigger that the client may not call
  IF (v_by_trigger OR v_by_function) AND v_operation <> 'DELETE' AND stage.forbidden_function(v_table) IS NOT NULL THEN
    RAISE EXCEPTION 'permission denied for function %', stage.forbidden_function(v_table) USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- guard: nothing is staged past policies that came after the overlay
  IF row_security_active(v_table) AND NOT EXISTS (
    SELECT FROM pg_class c WHERE c.oid = v_table AND to_regprocedure(format('stage_upsert_%s.policy_%s()', c.relnamespace, c.oid)) IS NOT NULL)
  THEN
    PERFORM stage.raise_altered(v_table);
  END IF;
  -- for stage.before_statement; an upsert may update rows, too. What triggers and actions write has the rights of the statement.
  v_by_right := has_table_privilege(v_table, v_operation) AND (NOT starts_with(TG_TABLE_SCHEMA, 'stage_upsert_') OR has_table_privilege(v_table, 'UPDATE'))
    AND NOT (pg_trigger_depth() > 1 AND coalesce(current_setting('stage.beyond', true), '') = 'on');
  -- most tables are no partitions, and pay for no query
  IF coalesce(pg_partition_root(v_table) <> v_table, false) THEN
    -- guard: rows for which the triggers of their partition do not fire decide nothing about what runs with the rights of owners
    v_by_right := v_by_right AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = v_table AND NOT t.tgisinternal AND t.tgparentid = 0);
  END IF;
  PERFORM set_config('stage.by_right', CASE WHEN v_by_right THEN 'on' ELSE '' END, true),
    set_config('stage.beyond', CASE WHEN v_by_right THEN current_setting('stage.beyond', true) ELSE 'on' END, true);
  RETURN NULL;
END $$;
