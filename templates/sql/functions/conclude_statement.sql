-- AFTER STATEMENT trigger, after the AFTER triggers of production have fired: the effects of foreign keys' actions come after these.
CREATE OR REPLACE FUNCTION stage.conclude_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_trigger_depth() = 1 THEN
    PERFORM stage.run_queue();
    -- guard: rows of foreign key actions are checked by the policy
    IF coalesce(current_setting('stage.checked_tables', true), '') <> '' THEN PERFORM stage.check_policy(); END IF;
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION stage.conclude_statement() FROM PUBLIC;
