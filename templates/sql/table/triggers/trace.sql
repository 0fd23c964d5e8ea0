-- INSTEAD OF, after the row is staged: records it as the cause of the rows that BEFORE triggers wrote for it, by its lineage.
-- Filled in src/overlay/triggers/fire-writing.ts: `row` is NEW, or OLD of a deletion.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_since bigint := nullif(current_setting('stage.fired_{{oid}}', true), '');
BEGIN
  IF _stage_v_since IS NULL THEN RETURN {{row}}; END IF;
  PERFORM set_config('stage.fired_{{oid}}', '', true);
  UPDATE stage.effect e SET cause = coalesce(s._stage_root, s._stage_seq) FROM {{shadow}} s
  WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches}}
    AND e.session = _stage_v_session AND e.cause = 0 AND e.cause_relation = {{oid}} AND e.seq > _stage_v_since
    -- the row itself may be one that another BEFORE trigger of the table writes
    AND e.seq <> s._stage_seq;
  RETURN {{row}};
END $body$;
