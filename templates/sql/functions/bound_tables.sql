-- Returns the table of this database that each overlay belongs to, null if there is none. A number that has not changed may have been
-- restored as a mere number, because the table had been dropped: then the name has to be the same, too.
CREATE OR REPLACE FUNCTION stage.bound_tables() RETURNS TABLE (relation oid, production oid)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT o.relation, t.production
  FROM stage.overlay o LEFT JOIN LATERAL (
    SELECT c.oid AS production FROM stage.binding b
    JOIN pg_class c ON c.oid = b.production AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE b.relation = o.relation AND NOT stage.is_internal_schema(n.oid)
      AND (b.production <> o.relation OR (n.nspname, c.relname) = (o.schema_name, o.table_name))
      AND NOT EXISTS (SELECT FROM stage.binding x WHERE x.production = b.production AND x.relation <> b.relation)) t ON true
$$;
REVOKE ALL ON FUNCTION stage.bound_tables() FROM PUBLIC;
