-- Returns the canonical text of an audit entry, the link that it adds to the chain: a JSON array as PostgreSQL prints jsonb, which is
-- unambiguous. Elements are typed (null, 1, "1", 1.0 all differ), and members of objects are in jsonb's own order. The exact texts of
-- values that the JSON of the rows does not show are at its end, if there are any.
-- The entries of a run share its frame, and differ in the rest.
DROP FUNCTION IF EXISTS stage.audit_text(bigint, uuid, text, oid, text, bigint, bigint, text, text, jsonb, jsonb, jsonb, timestamptz, text);
DROP FUNCTION IF EXISTS stage.audit_text(bigint, uuid, text, oid, text, bigint, bigint, text, text, jsonb, jsonb, jsonb, timestamptz, text, jsonb);
CREATE OR REPLACE FUNCTION stage.audit_text(
  p_position bigint, p_session uuid, p_project_id text, p_relation oid, p_table_name text, p_mutation bigint, p_lineage bigint,
  p_operation text, p_row_id text, p_row_key jsonb, p_old_data jsonb, p_new_data jsonb, p_approved_at timestamptz, p_approved_by text,
  p_texts jsonb, p_staged jsonb DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT stage.audit_entry(
    stage.audit_frame(p_session, p_project_id, p_relation, p_table_name, p_mutation, p_operation, p_approved_at, p_approved_by),
    p_position, p_lineage, p_row_id, p_row_key, p_old_data, p_new_data, p_texts, p_staged)
$$;
REVOKE ALL ON FUNCTION stage.audit_text(bigint, uuid, text, oid, text, bigint, bigint, text, text, jsonb, jsonb, jsonb, timestamptz, text, jsonb, jsonb) FROM PUBLIC;
