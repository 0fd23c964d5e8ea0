-- AFTER STATEMENT, before the rows are checked: collects the rows of the statement for the AFTER triggers. Those of a foreign key's action
-- are fired by stage.run_queue, after everything that was caused before.
-- Filled in src/overlay/triggers/fire-after.ts: `rows` is after_rows.sql, TG_ARGV[0] names table and operation, e.g. 16402_u.
CREATE OR REPLACE FUNCTION {{affected}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  -- guard: the rows of a part of an upsert in a trigger are those of the whole
  _stage_v_nested boolean := pg_trigger_depth() > 1 AND coalesce(current_setting('stage.origin', true), '') = 'trigger' AND coalesce(current_setting('stage.check_later', true), '') = '';
  _stage_v_rows refcursor := concat('_stage_fired_', TG_ARGV[0], '_', pg_trigger_depth());
  _stage_v_set_rows refcursor := concat('_stage_sets_', TG_ARGV[0], '_', pg_trigger_depth());
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_mutation bigint := current_setting('stage.mutation_' || TG_ARGV[0])::bigint;
  _stage_v_start bigint := current_setting('stage.start_' || TG_ARGV[0])::bigint;
  _stage_v_end bigint := 9223372036854775807;
  _stage_v_origin stage.row_origin := CASE WHEN _stage_v_nested THEN 'trigger' ELSE 'client' END;
  -- what BEFORE triggers have written for its rows, see stage.end_firing
  _stage_v_inner int8multirange := format('{%s}', CASE WHEN _stage_v_nested THEN current_setting('stage.inner', true) END);
BEGIN
  IF pg_trigger_depth() = 1 OR _stage_v_nested THEN
    OPEN _stage_v_rows FOR
    {{rows}};
{{open_sets}}  ELSE
    PERFORM set_config('stage.fired', jsonb_build_object('check', {{queued_name}}, 'start', _stage_v_start, 'mutation', _stage_v_mutation,
      'end', nextval('stage.seq'), 'table', {{oid}}, 'set', coalesce(current_setting('stage.set_{{oid}}', true), ''))::text, true);
  END IF;
  RETURN NULL;
END $body$;

-- Fires the AFTER triggers for the rows of a foreign key's action. As in PostgreSQL, these do not fire with the client's rights.
CREATE OR REPLACE FUNCTION {{queued}}(_stage_v_session uuid, _stage_v_start bigint, _stage_v_mutation bigint, _stage_v_end bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_origin stage.row_origin := 'action';
  _stage_v_inner int8multirange := '{}';
  _stage_v_row record;
  _stage_v_is_first boolean := true;
  _stage_v_was text[];
BEGIN
{{begin_writing}}  FOR _stage_v_row IN
    {{rows}}
  LOOP
    IF _stage_v_is_first THEN
      {{begin_queued}}    END IF;
    _stage_v_is_first := false;
{{name_row}}{{fire}}
  END LOOP;
{{end_writing}}END $body$;
REVOKE ALL ON FUNCTION {{queued}}(uuid, bigint, bigint, bigint) FROM PUBLIC;

-- AFTER STATEMENT, after the rows are checked: fires the AFTER triggers with the client's rights. The cursor is the service's: it shows the
-- rows of this statement, and no others, whatever the client may read. Triggers that run with the rights of their owners are fired with
-- those of the service account, which alone may call their copies.
CREATE OR REPLACE FUNCTION {{behind}}() RETURNS trigger
LANGUAGE plpgsql {{rights}}SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  _stage_v_nested boolean := pg_trigger_depth() > 1 AND coalesce(current_setting('stage.origin', true), '') = 'trigger' AND coalesce(current_setting('stage.check_later', true), '') = '';
  _stage_v_rows refcursor := concat('_stage_fired_', TG_ARGV[0], '_', pg_trigger_depth());
  _stage_v_set_rows refcursor := concat('_stage_sets_', TG_ARGV[0], '_', pg_trigger_depth());
  _stage_v_mutation bigint := CASE WHEN _stage_v_nested THEN current_setting('stage.mutation') ELSE current_setting('stage.mutation_' || TG_ARGV[0]) END::bigint;
  _stage_v_row record;
  _stage_v_sets record;
  _stage_v_was text[];
{{row_sets}}BEGIN
  IF pg_trigger_depth() > 1 AND NOT _stage_v_nested THEN
    -- the rows of a part of an upsert or MERGE belong to the whole
    IF coalesce(current_setting('stage.check_later', true), '') = '' THEN
      PERFORM set_config('stage.queue', (coalesce(nullif(current_setting('stage.queue', true), '')::jsonb, '[]') || current_setting('stage.fired')::jsonb)::text, true);
    END IF;
    RETURN NULL;
  END IF;
{{begin_behind}}{{begin_writing}}  LOOP
    FETCH _stage_v_rows INTO _stage_v_row;
    EXIT WHEN NOT FOUND OR coalesce(current_setting('stage.truncates', true), '') = 'on';
{{name_row}}{{fire}}
{{collect}}  END LOOP;
  CLOSE _stage_v_rows;
{{fetch_sets}}{{fire_statement}}{{end_writing}}  RETURN NULL;
END $body$;
