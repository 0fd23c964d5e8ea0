-- The canonical text of an audit entry, the link that it adds to the chain: a JSON array as PostgreSQL prints jsonb, which
-- is unambiguous. What JSON does not tell of the rows stands at its end, where there is such. Elements are typed (null, 1, "1", 1.0 all differ), members of objects stand in jsonb's own order.
-- Put together as text: jsonb of jsonb would take each row apart and build it anew.
DROP FUNCTION IF EXISTS stage.audit_text(bigint, uuid, text, oid, text, bigint, bigint, text, text, jsonb, jsonb, jsonb, timestamptz, text);
CREATE OR REPLACE FUNCTION stage.audit_text(
  p_position bigint, p_session uuid, p_project_id text, p_relation oid, p_table_name text, p_mutation bigint, p_lineage bigint,
  p_operation text, p_row_id text, p_row_key jsonb, p_old_data jsonb, p_new_data jsonb, p_approved_at timestamptz, p_approved_by text,
  p_texts jsonb
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT pg_catalog.concat('["stage.audit.', CASE WHEN p_texts IS NULL THEN 'v1' ELSE 'v2' END, '", ', p_position, ', "', p_session, '", ',
    pg_catalog.to_json(p_project_id), ', ', p_relation, ', ', pg_catalog.to_json(p_table_name), ', ', p_mutation, ', ', p_lineage, ', ', pg_catalog.to_json(p_operation), ', ',
    pg_catalog.to_json(p_row_id), ', ', p_row_key, ', ', coalesce(p_old_data::pg_catalog.text, 'null'), ', ', coalesce(p_new_data::pg_catalog.text, 'null'), ', "',
    stage.iso_time(p_approved_at), '", ', coalesce(pg_catalog.to_json(p_approved_by)::pg_catalog.text, 'null'), ', ' OPERATOR(pg_catalog.||) p_texts::pg_catalog.text, ']')
$$;
REVOKE ALL ON FUNCTION stage.audit_text(bigint, uuid, text, oid, text, bigint, bigint, text, text, jsonb, jsonb, jsonb, timestamptz, text, jsonb) FROM PUBLIC;
