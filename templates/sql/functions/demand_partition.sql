-- Fails where a trigger has changed a new row so that another partition takes it: PostgreSQL refuses that, too.
CREATE OR REPLACE FUNCTION stage.demand_partition(p_before oid, p_after oid, p_trigger name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF p_after IS DISTINCT FROM p_before THEN
    RAISE EXCEPTION 'moving row to another partition during a BEFORE FOR EACH ROW trigger is not supported'
      USING ERRCODE = 'feature_not_supported',
        DETAIL = format('Before executing trigger "%s", the row was to be in partition "%s.%s".', p_trigger, stage.schema_of(p_before), stage.name_of(p_before));
  END IF;
END $$;
