-- AFTER INSERT trigger of a shadow table: records for which row, by which trigger of production, a row was written.
CREATE OR REPLACE FUNCTION stage.note_effect() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: what a trigger writes is no version of a row that the client changed
  IF NEW._stage_root IS NOT NULL THEN PERFORM stage.refuse_effect(substr(TG_TABLE_NAME, 8)::oid); END IF;
  INSERT INTO stage.effect (session, seq, relation, cause, cause_relation, trigger)
  VALUES (NEW._stage_session, NEW._stage_seq, substr(TG_TABLE_NAME, 8)::oid, current_setting('stage.cause')::bigint,
    current_setting('stage.cause_relation')::oid, current_setting('stage.trigger'));
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION stage.note_effect() FROM PUBLIC;
