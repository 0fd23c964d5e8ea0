-- Notes for stage.lastval the sequence from which the client has drawn last, if that belongs to a temporary table: its defaults draw by
-- nextval() itself. Called before a statement draws from stage.seq.
CREATE OR REPLACE FUNCTION stage.note_temporary() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM setval('stage.last_sequence', c.oid::bigint) FROM pg_class c
  WHERE c.relnamespace = pg_my_temp_schema() AND c.relkind = 'S' AND pg_sequence_last_value(c.oid) = lastval() AND currval(c.oid) = lastval();
EXCEPTION WHEN object_not_in_prerequisite_state OR insufficient_privilege THEN
  NULL;  -- nothing was drawn, or from another's sequence
END $$;
