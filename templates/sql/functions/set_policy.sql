-- Adds a version of the policy after p_version, the newest one that the caller has seen (null: any). Returns its number, or null if there
-- is a newer version. Waits for approvals that are under way.
CREATE OR REPLACE FUNCTION stage.set_policy(p_version bigint, p_document jsonb, p_relations jsonb, p_by text, p_message text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_version bigint;
BEGIN
  SELECT h.version INTO STRICT v_version FROM stage.policy_head h FOR UPDATE;
  -- guard: a version of the policy follows the one that its author has seen
  IF v_version <> p_version THEN RETURN NULL; END IF;
  UPDATE stage.policy_head SET version = v_version + 1;
  INSERT INTO stage.policy (version, document, hash, relations, set_by, message, at)
  VALUES (v_version + 1, p_document, 'sha256:' || encode(sha256(convert_to(p_document::text, 'UTF8')), 'hex'), p_relations, p_by, p_message,
    clock_timestamp());
  RETURN v_version + 1;
END $$;
REVOKE ALL ON FUNCTION stage.set_policy(bigint, jsonb, jsonb, text, text) FROM PUBLIC;
