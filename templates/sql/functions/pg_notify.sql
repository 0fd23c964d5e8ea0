-- Stands for pg_notify() in the copies of triggers and functions, and counts the notifications (see stage.demand_sent). In a trigger it
-- fails as that would, and notifies nobody: production's trigger does at approval. p_by_right: whether the right to call pg_notify() counts.
CREATE OR REPLACE FUNCTION stage.pg_notify(p_channel text, p_payload text, p_by_right boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_longest int := current_setting('max_identifier_length');
  v_count text := 'stage.unsent_' || pg_trigger_depth();
BEGIN
  -- guard: a trigger whose role may not notify fails as in production
  IF p_by_right AND NOT has_function_privilege('pg_notify(text, text)', 'EXECUTE') THEN
    RAISE EXCEPTION 'permission denied for function pg_notify' USING ERRCODE = 'insufficient_privilege';
  ELSIF coalesce(p_channel, '') = '' THEN
    RAISE EXCEPTION 'channel name cannot be empty' USING ERRCODE = 'invalid_parameter_value';
  ELSIF octet_length(p_channel) > v_longest THEN
    RAISE EXCEPTION 'channel name too long' USING ERRCODE = 'invalid_parameter_value';
  -- PostgreSQL's NOTIFY_PAYLOAD_MAX_LENGTH
  ELSIF octet_length(p_payload) >= current_setting('block_size')::int - (v_longest + 1) - 128 THEN
    RAISE EXCEPTION 'payload string too long' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF stage.trigger_depth() > 0 THEN
    PERFORM set_config(v_count, (coalesce(nullif(current_setting(v_count, true), ''), '0')::int + 1)::text, true);
  -- a function in a read, which stages nothing
  ELSIF current_setting('transaction_read_only')::boolean THEN
    EXECUTE format('NOTIFY %I, %L', p_channel, coalesce(p_payload, ''));
  ELSE
    -- guard: no notification of a function that approval does not call is lost
    RAISE EXCEPTION 'function pg_notify() cannot notify in a staged session outside of triggers' USING ERRCODE = 'feature_not_supported',
      HINT = 'Approval does not call the function again: have a trigger notify, which fires at approval.';
  END IF;
END $$;
