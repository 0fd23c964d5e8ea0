-- Before a foreign key's action: the overlay of the table that it writes to must be what its table is, defaults among it.
-- Of the tables that a statement names, stage.enter has seen to it.
CREATE OR REPLACE FUNCTION stage.demand_current(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF stage.is_stale(p_relation) THEN
    RAISE EXCEPTION 'the definition of a referring table changed' USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
  END IF;
END $$;
