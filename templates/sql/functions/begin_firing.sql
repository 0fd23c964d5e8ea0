-- Prepares the call of a BEFORE trigger that writes: rows that it writes are marked as its own, and are checked at once. The row for which
-- it fires is staged only afterwards; its lineage is recorded then (see templates/sql/table/triggers/trace.sql). Returns the settings that
-- stage.end_firing restores.
-- p_operation: i, u or d. p_events: the operations for which the trigger fires, such as {i,u}.
CREATE OR REPLACE FUNCTION stage.begin_firing(p_relation oid, p_operation text, p_events text[]) RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_is_part boolean := current_setting('stage.check_later', true) = 'on' AND current_setting('stage.origin', true) = 'trigger';
  v_caller jsonb := nullif(current_setting('stage.callers', true), '')::jsonb -> -1;
  v_was text[] := ARRAY[current_setting('stage.origin', true), current_setting('stage.check_later', true), current_setting('stage.cause_relation', true),
    current_setting('stage.cause', true), current_setting('stage.trigger', true), current_setting('stage.causes', true),
    current_setting('stage.firing', true), current_setting('stage.overriding_' || p_relation, true), nextval('stage.seq')::text,
    current_setting('stage.fired_' || p_relation, true), p_operation,
    -- the trigger may write in the way of the statement for whose row it fires
    current_setting(concat('stage.mutation_', p_relation, '_', p_operation), true), current_setting(concat('stage.start_', p_relation, '_', p_operation), true)];
BEGIN
  PERFORM set_config('stage.origin', 'trigger', true), set_config('stage.check_later', '', true), set_config('stage.causes', '', true),
    set_config('stage.cause_relation', p_relation::text, true), set_config('stage.cause', '', true),
    set_config('stage.fired_' || p_relation, '', true),
    -- a part of an upsert or MERGE in a trigger cannot be distinguished from the whole; what is written for a row that is not inserted
    -- becomes the client's, and approval would fire the trigger for it once more
    set_config('stage.firing', (SELECT concat(v_was[7], string_agg(format(' %s_%s ', p_relation, o.operation), ''))
      FROM unnest(CASE WHEN v_is_part THEN '{i,u,d,x}'::text[]
        WHEN v_was[2] = 'on' THEN p_events || '{x}'::text[]
        ELSE '{x}' END) o (operation)), true);
  -- see stage.enter_call
  IF split_part(v_caller ->> 0, '_', 1) = p_relation::text THEN PERFORM set_config('stage.caller_fired', v_caller ->> 1, true); END IF;
  RETURN v_was;
END $$;
