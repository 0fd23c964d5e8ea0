-- Stands for pg_notify() in the copies of triggers: it fails as that would, and notifies nobody. Production's triggers do at approval.
CREATE OR REPLACE FUNCTION stage.pg_notify(text, text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_longest int := current_setting('max_identifier_length');
BEGIN
  -- guard: a trigger whose role may not notify fails as in production
  IF NOT has_function_privilege('pg_notify(text, text)', 'EXECUTE') THEN
    RAISE EXCEPTION 'permission denied for function pg_notify' USING ERRCODE = 'insufficient_privilege';
  ELSIF coalesce($1, '') = '' THEN
    RAISE EXCEPTION 'channel name cannot be empty' USING ERRCODE = 'invalid_parameter_value';
  ELSIF octet_length($1) > v_longest THEN
    RAISE EXCEPTION 'channel name too long' USING ERRCODE = 'invalid_parameter_value';
  -- PostgreSQL's NOTIFY_PAYLOAD_MAX_LENGTH
  ELSIF octet_length($2) >= current_setting('block_size')::int - (v_longest + 1) - 128 THEN
    RAISE EXCEPTION 'payload string too long' USING ERRCODE = 'invalid_parameter_value';
  END IF;
END $$;
