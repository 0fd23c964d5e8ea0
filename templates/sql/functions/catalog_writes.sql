-- Returns how many rows the running transaction has written to the system catalogs, including savepoints that it has rolled back, and
-- possibly those of earlier transactions of this connection: counters are reported with delay. The list has every table of pg_catalog by
-- its OID, which is the same in PostgreSQL 15 to 18; reading them from pg_class takes milliseconds where there are many tables.
CREATE OR REPLACE FUNCTION stage.catalog_writes() RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT sum(pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid))
    FROM unnest('{826,1213,1214,1247,1249,1255,1259,1260,1261,1262,1417,1418,2224,2328,2396,2600,2601,2602,2603,2604,2605,2606,2607,2608,
      2609,2610,2611,2612,2613,2615,2616,2617,2618,2619,2620,2753,2964,2995,3079,3118,3256,3350,3381,3394,3429,3456,3466,3501,3541,3576,
      3592,3596,3600,3601,3602,3603,3764,6000,6100,6102,6104,6106,6237,6243}'::oid[]) c(oid));
END $$;
