-- Returns the objects of users that the expressions of a relation name in defaults, generated columns, checks, indexes, policies, partition
-- keys and the queries of views (see stage.used_by). Objects of an overlay name them in their texts. Everything is qualified, because it
-- runs with the rights and the search path of its caller.
CREATE OR REPLACE FUNCTION stage.used_in_definition(p_relation oid) RETURNS TABLE (catalog oid, object oid)
LANGUAGE sql STABLE AS $$
  SELECT u.catalog, u.object
  FROM (
    SELECT pg_catalog.array_agg(e.catalog) AS catalogs, pg_catalog.array_agg(e.object) AS objects
    FROM (
      SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, p_relation
      UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass, a.oid FROM pg_catalog.pg_attrdef a WHERE a.adrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_policy p WHERE p.polrelid OPERATOR(pg_catalog.=) p_relation
      UNION ALL SELECT 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid FROM pg_catalog.pg_rewrite r WHERE r.ev_class OPERATOR(pg_catalog.=) p_relation
    ) e(catalog, object)
  ) o CROSS JOIN LATERAL stage.used_by(p_relation, o.catalogs, o.objects) u
$$;
