-- Returns those of some rules of the policy that hold for a table, by its names or those of the tables above it, as they are now or were
-- when the policy was set.
-- p_oids: the OIDs that names in the rules meant then.
CREATE OR REPLACE FUNCTION stage.covering_rules(p_rules jsonb, p_oids jsonb, p_relation oid) RETURNS TABLE (rule jsonb)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.rule
  FROM jsonb_array_elements(p_rules) WITH ORDINALITY r (rule, place)
  CROSS JOIN stage.tables_above(p_relation) a
  WHERE NOT r.rule ? 'tables' OR EXISTS (
    SELECT FROM jsonb_array_elements_text(r.rule -> 'tables') p (pattern)
    WHERE EXISTS (SELECT FROM unnest(a.lineage) l (oid) WHERE (p_oids -> p.pattern) @> to_jsonb(l.oid::bigint))
      OR EXISTS (SELECT FROM jsonb_to_recordset(a.names) n (schema text, name text)
        WHERE p.pattern IN (stage.shown_name(n.schema, n.name), n.schema || '.' || n.name, n.schema || '.*')))
  ORDER BY r.place
$$;
REVOKE ALL ON FUNCTION stage.covering_rules(jsonb, jsonb, oid) FROM PUBLIC;
