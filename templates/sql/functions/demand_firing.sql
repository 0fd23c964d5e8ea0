-- Fails where triggers of a table may not run with the rights of their owners, whatever stage.decide_firing noted at the beginning of the
-- statement: its own triggers may have staged what the client could not write.
CREATE OR REPLACE FUNCTION stage.demand_firing(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: no BEFORE trigger fires with its owner's rights for a client without the right to write
  IF NOT stage.fires_as_owner(p_relation) THEN
    RAISE EXCEPTION 'cannot stage what triggers of "%" do with their owners'' rights: the session has rows that the client could not write',
        (SELECT o.shown_name FROM stage.overlay o WHERE o.relation = p_relation)
      USING ERRCODE = 'feature_not_supported', HINT = 'Write the row in another session, or after the approval.';
  END IF;
END $$;
REVOKE ALL ON FUNCTION stage.demand_firing(oid) FROM PUBLIC;
