-- Returns the parts that the canonical texts of a run's audit entries have in common, so that they are made once for all of them: the one
-- before the lineage, the one around the operation, and the end.
CREATE OR REPLACE FUNCTION stage.audit_frame(
  p_session uuid, p_project_id text, p_relation oid, p_table_name text, p_mutation bigint, p_operation text, p_approved_at timestamptz,
  p_approved_by text
) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ARRAY[
    pg_catalog.concat(', "', p_session, '", ', pg_catalog.to_json(p_project_id), ', ', p_relation, ', ', pg_catalog.to_json(p_table_name), ', ', p_mutation, ', '),
    pg_catalog.concat(', ', pg_catalog.to_json(p_operation), ', '),
    pg_catalog.concat(', "', stage.iso_time(p_approved_at), '", ', coalesce(pg_catalog.to_json(p_approved_by)::pg_catalog.text, 'null'))]
$$;
REVOKE ALL ON FUNCTION stage.audit_frame(uuid, text, oid, text, bigint, text, timestamptz, text) FROM PUBLIC;
