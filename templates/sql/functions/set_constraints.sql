-- Carries out SET CONSTRAINTS for staged rows. p_names: [{"schema": null | text, "name": text}, ...], null for ALL. A name means, as in
-- PostgreSQL, all constraints of that name in the first schema of the search path that has one.
CREATE OR REPLACE FUNCTION stage.set_constraints(p_names text, p_deferred boolean) RETURNS void
LANGUAGE sql AS $$
  SELECT stage.defer_constraints((
    SELECT coalesce(pg_catalog.array_agg(stage.deferral_name(c.conrelid, c.conname)), '{}')
    FROM pg_catalog.jsonb_to_recordset(p_names::pg_catalog.jsonb) AS w(schema pg_catalog.text, name pg_catalog.text)
    CROSS JOIN LATERAL (
      SELECT n.oid FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) WITH ORDINALITY p(name, place)
      JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) p.name
      WHERE w.schema IS NULL AND EXISTS (SELECT 1 FROM pg_catalog.pg_constraint c
        WHERE c.connamespace OPERATOR(pg_catalog.=) n.oid AND c.conname OPERATOR(pg_catalog.=) w.name::pg_catalog.name)
      UNION ALL
      SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname OPERATOR(pg_catalog.=) w.schema::pg_catalog.name
      LIMIT 1) first
    JOIN pg_catalog.pg_constraint c ON c.connamespace OPERATOR(pg_catalog.=) first.oid
      AND c.conname OPERATOR(pg_catalog.=) w.name::pg_catalog.name AND c.condeferrable
    WHERE p_names IS NOT NULL), p_names IS NULL, p_deferred);
  -- with the rights of the client, as at COMMIT
  SELECT stage.fire_now() WHERE p_names IS NULL AND NOT p_deferred
$$;
