-- Returns the canonical text of an approval, the link that seals its entries. An approval that changed nothing is in the chain, too. The
-- second version has the names of all who agreed at its end; it is used if several had to agree. The third one has the grounds after these:
-- the version of a policy that approved, or the reason of an approval past the policy.
DROP FUNCTION IF EXISTS stage.approval_text(bigint, uuid, text, text, bigint, bigint, timestamptz, text, text);
DROP FUNCTION IF EXISTS stage.approval_text(bigint, uuid, text, text, bigint, bigint, timestamptz, text, text, jsonb);
CREATE OR REPLACE FUNCTION stage.approval_text(
  p_number bigint, p_session uuid, p_project_id text, p_digest text, p_first_position bigint, p_entries bigint,
  p_approved_at timestamptz, p_approved_by text, p_approved_as text, p_voters jsonb, p_grounds jsonb
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT (CASE WHEN p_grounds IS NOT NULL
    -- guard: the audit seals why nobody else had to agree
    THEN pg_catalog.jsonb_build_array('stage.approval.v3', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,
      stage.iso_time(p_approved_at), p_approved_by, p_approved_as, p_voters, p_grounds)
    WHEN p_voters IS NULL
    THEN pg_catalog.jsonb_build_array('stage.approval.v1', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,
      stage.iso_time(p_approved_at), p_approved_by, p_approved_as)
    -- guard: the audit seals the names of all who agreed
    ELSE pg_catalog.jsonb_build_array('stage.approval.v2', p_number, p_session, p_project_id, p_digest, p_first_position, p_entries,
      stage.iso_time(p_approved_at), p_approved_by, p_approved_as, p_voters) END)::pg_catalog.text
$$;
REVOKE ALL ON FUNCTION stage.approval_text(bigint, uuid, text, text, bigint, bigint, timestamptz, text, text, jsonb, jsonb) FROM PUBLIC;
