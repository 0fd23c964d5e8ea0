-- Returns the canonical text of an audit entry, from the frame that it shares with the others of its run and its own values.
-- Concatenates text: jsonb of jsonb would parse each row and build it again.
DROP FUNCTION IF EXISTS stage.audit_entry(text[], bigint, bigint, text, jsonb, jsonb, jsonb, jsonb);
CREATE OR REPLACE FUNCTION stage.audit_entry(
  p_frame text[], p_position bigint, p_lineage bigint, p_row_id text, p_row_key jsonb, p_old_data jsonb, p_new_data jsonb, p_texts jsonb,
  p_staged jsonb DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT pg_catalog.concat(CASE WHEN p_staged IS NOT NULL THEN '["stage.audit.v3", ' WHEN p_texts IS NULL THEN '["stage.audit.v1", ' ELSE '["stage.audit.v2", ' END, p_position, p_frame[1], p_lineage,
    p_frame[2], pg_catalog.to_json(p_row_id), ', ', p_row_key, ', ', coalesce(p_old_data::pg_catalog.text, 'null'), ', ',
    coalesce(p_new_data::pg_catalog.text, 'null'), p_frame[3], CASE WHEN p_staged IS NOT NULL THEN pg_catalog.concat(', ', coalesce(p_texts::pg_catalog.text, 'null'), ', ', p_staged)
      ELSE ', ' OPERATOR(pg_catalog.||) p_texts::pg_catalog.text END, ']')
$$;
REVOKE ALL ON FUNCTION stage.audit_entry(text[], bigint, bigint, text, jsonb, jsonb, jsonb, jsonb, jsonb) FROM PUBLIC;
