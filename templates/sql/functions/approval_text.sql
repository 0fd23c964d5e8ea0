-- Returns the canonical text of an approval, the link that seals its entries. An approval that changed nothing is in the chain, too. The
-- second version has the names of all who agreed at its end; there is one where several had to agree.
DROP FUNCTION IF EXISTS stage.approval_text(bigint, uuid, text, text, bigint, bigint, timestamptz, text, text);
CREATE OR REPLACE FUNCTION stage.approval_text(
  p_number bigint, p_session uuid, p_project_id text, p_digest text, p_first_position bigint, p_entries bigint,
  p_approved_at timestamptz, p_approved_by text, p_approved_as text, p_voters jsonb
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN p_voters IS NULL
    THEN pg_catalog.jsonb_build_array('stage.approval.v1', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,
      stage.iso_time(p_approved_at), p_approved_by, p_approved_as)
    -- guard: the audit seals the names of all who agreed
    ELSE pg_catalog.jsonb_build_array('stage.approval.v2', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,
      stage.iso_time(p_approved_at), p_approved_by, p_approved_as, p_voters) END)::pg_catalog.text
$$;
REVOKE ALL ON FUNCTION stage.approval_text(bigint, uuid, text, text, bigint, bigint, timestamptz, text, text, jsonb) FROM PUBLIC;
