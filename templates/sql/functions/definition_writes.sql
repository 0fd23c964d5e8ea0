-- Returns how many rows the running transaction has written to the catalogs that definitions of temporary tables write to: those of
-- relations, with their columns, types, defaults, constraints, indexes, partitions and sequences; dependencies; the schemas of temporary
-- tables; statistics; the triggers of foreign keys. Writes to other catalogs are never attributed to a definition. See
-- stage.catalog_writes.
CREATE OR REPLACE FUNCTION stage.definition_writes() RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT sum(pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid))
    FROM unnest('{1214,1247,1249,1259,2224,2604,2606,2608,2609,2610,2611,2615,2619,2620,3350,3381,3429}'::oid[]) c(oid));
END $$;
