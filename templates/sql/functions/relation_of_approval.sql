-- Returns the table of an approved session's entries in the audit, from the OID under which they were written.
CREATE OR REPLACE FUNCTION stage.relation_of_approval(p_session uuid, p_relation oid) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.relation_now($2, (
    SELECT min(r.number) FROM stage.rebinding r JOIN stage.approval a ON a.session = $1 WHERE r.last_position >= a.first_position))
$$;
REVOKE ALL ON FUNCTION stage.relation_of_approval(uuid, oid) FROM PUBLIC;
