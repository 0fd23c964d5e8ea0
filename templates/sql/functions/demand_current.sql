-- Checks, before a foreign key's action, that the overlay of the table that the action writes to matches its table, defaults included. For
-- the tables that a statement names, stage.begin_statement has checked it.
CREATE OR REPLACE FUNCTION stage.demand_current(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF stage.is_stale(p_relation) OR NOT stage.triggers_fit(p_relation) THEN
    RAISE EXCEPTION 'the definition of a referring table changed' USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
  END IF;
END $$;
