-- AFTER STATEMENT trigger: runs the checks of the statement's rows, then adds the entry to the mutation log. TG_ARGV[0] is the operation
-- where it differs from that of the trigger.
-- Filled in src/overlay/rows/after-statement.ts: `check_rows` counts the rows and runs the checks (check_rows.sql), `key` names table and
-- operation, e.g. 16402_u.
CREATE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_mutation bigint := current_setting('stage.mutation_{{key}}')::bigint;
  _stage_v_start bigint := current_setting('stage.start_{{key}}')::bigint;
  _stage_v_rows bigint;
  _stage_v_affected bigint := 0;
  _stage_v_set text;
BEGIN
{{check_rows}}
  -- writes of a function to other tables are checked once, when the statement that called it has ended
  IF current_setting('stage.tripwire', true) = 'on' AND current_setting('stage.called', true) IS DISTINCT FROM 'on' THEN PERFORM stage.refuse_written(); END IF;
  IF pg_trigger_depth() = 1 THEN
    _stage_v_set := set_config('enable_seqscan', 'on', true) || set_config('stage.ended', current_setting('stage.statement'), true);
    IF current_setting('stage.called', true) = 'on' THEN PERFORM stage.leave_call('{{key}}'); END IF;
{{adopt}}    IF _stage_v_affected > 0 THEN
      INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows{{fact_columns}})
      VALUES (_stage_v_mutation, _stage_v_session, current_setting('stage.statement')::bigint, coalesce(TG_ARGV[0], TG_OP), {{oid}}, {{shown_name}},
        current_setting('stage.query'), coalesce(nullif(current_setting('stage.params'), ''), '[]')::jsonb, _stage_v_affected{{facts}})
      ON CONFLICT (session, id) DO UPDATE SET affected_rows = excluded.affected_rows, ended = excluded.ended;
    END IF;
    -- guard: the policy checks a statement at its end
    IF coalesce(current_setting('stage.checked_tables', true), '') <> '' THEN PERFORM stage.check_policy(); END IF;
  ELSIF current_setting('stage.statement_{{key}}', true) = current_setting('stage.statement') THEN
    -- the client's statement writes in this way, too, and its own checks and entry are still to come
    PERFORM set_config('stage.mutation_{{key}}', current_setting('stage.own_{{key}}'), true),
            set_config('stage.start_{{key}}', current_setting('stage.own_{{key}}'), true);
  END IF;
  RETURN NULL;
END $body$;
