-- Returns whether the statement has changed a row before: PostgreSQL fires no triggers for it then.
-- Filled in src/overlay/triggers/fire-writing.ts: `operation` is that of the statement.
CREATE OR REPLACE FUNCTION {{function}}("old" {{row_type}}) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_touched bigint[] := stage.touched(current_setting('stage.mutation_{{key}}')::bigint);
  _stage_v_since bigint := CASE WHEN pg_trigger_depth() > 1 THEN current_setting('stage.start_{{key}}')::bigint ELSE 0 END;
  _stage_v_head record;
BEGIN
  SELECT s._stage_seq, s._stage_origin, s._stage_op INTO _stage_v_head FROM {{shadow}} s
  WHERE s._stage_session = current_setting('stage.session')::uuid AND s._stage_head AND {{s_key_matches_old}}
    AND s._stage_mutation = ANY (_stage_v_touched) AND s._stage_seq > _stage_v_since;
  IF NOT FOUND THEN RETURN false; END IF;
  IF _stage_v_head._stage_origin = 'trigger' AND (pg_trigger_depth() = 1 OR current_setting('stage.origin', true) = 'action'
    OR _stage_v_head._stage_op <> {{operation}} OR stage.is_inner(_stage_v_head._stage_seq)) THEN
    PERFORM stage.raise_modified('updated');  -- PostgreSQL says so of a deletion, too
  END IF;
  PERFORM stage.touched_twice({{oid}});
  RETURN true;
END $body$;
