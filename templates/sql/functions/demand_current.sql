-- Before a foreign key's action: the overlay of the table that it writes to must be what its table is, defaults among it.
-- Of the tables that a statement names, stage.enter has seen to it.
CREATE OR REPLACE FUNCTION stage.demand_current(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM stage.overlay o WHERE o.relation = p_relation AND NOT stage.fits(o.stamp, stage.table_stamp(p_relation))) THEN
    RAISE EXCEPTION 'the definition of a referring table changed' USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
  END IF;
END $$;
