-- How much the running transaction has written to the catalogs, and maybe some before it: what is counted is reported with delay.
CREATE OR REPLACE FUNCTION stage.catalog_writes() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT sum(pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid))::bigint
  FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'pg_catalog'::regnamespace
$$;
