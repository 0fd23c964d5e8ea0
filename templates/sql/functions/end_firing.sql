-- Restores the settings from before stage.begin_firing. The rows that the trigger wrote wait, with those of the triggers before it, for
-- the lineage of the row for which it fired.
CREATE OR REPLACE FUNCTION stage.end_firing(p_relation oid, p_was text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- a statement of a trigger leaves the rows alone that such a trigger wrote to its table meanwhile: these have ended
  IF p_was[1] = 'trigger' AND nullif(current_setting('stage.wrote_' || p_relation, true), '')::bigint > p_was[9]::bigint THEN
    PERFORM set_config('stage.inner', concat_ws(',', nullif(current_setting('stage.inner', true), ''), format('[%s,%s)', p_was[9], nextval('stage.seq'))), true);
  END IF;
  PERFORM set_config('stage.origin', coalesce(p_was[1], ''), true), set_config('stage.check_later', coalesce(p_was[2], ''), true),
    set_config('stage.cause_relation', coalesce(p_was[3], ''), true), set_config('stage.cause', coalesce(p_was[4], ''), true),
    set_config('stage.trigger', coalesce(p_was[5], ''), true), set_config('stage.causes', coalesce(p_was[6], ''), true),
    set_config('stage.firing', coalesce(p_was[7], ''), true), set_config('stage.overriding_' || p_relation, coalesce(p_was[8], ''), true),
    set_config('stage.fired_' || p_relation, coalesce(nullif(p_was[10], ''), p_was[9]), true),
    set_config(concat('stage.mutation_', p_relation, '_', p_was[11]), coalesce(p_was[12], ''), true),
    set_config(concat('stage.start_', p_relation, '_', p_was[11]), coalesce(p_was[13], ''), true);
END $$;
