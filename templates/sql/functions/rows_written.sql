-- Returns how many rows the running transaction has written to a table, including savepoints that it has rolled back, and possibly those of
-- earlier transactions of this connection: counters are reported with delay.
CREATE OR REPLACE FUNCTION stage.rows_written(p_relation oid) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_stat_get_xact_tuples_inserted(p_relation) + pg_stat_get_xact_tuples_updated(p_relation)
    + pg_stat_get_xact_tuples_deleted(p_relation)
$$;
