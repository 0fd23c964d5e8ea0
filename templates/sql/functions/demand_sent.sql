-- Fails for a row that BEFORE triggers suppress if one of them has notified for it: approval does not fire them for such a row.
-- p_unsent: the count of notifications before they fired. What other triggers notify for rows that these wrote is counted apart, by depth.
CREATE OR REPLACE FUNCTION stage.demand_sent(p_relation oid, p_unsent text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: no notification is lost with a row that triggers suppress
  IF coalesce(current_setting('stage.unsent_' || pg_trigger_depth(), true), '') <> coalesce(p_unsent, '') THEN
    RAISE EXCEPTION 'cannot stage that triggers of "%" notify for a row that they suppress', (SELECT o.shown_name FROM stage.overlay o WHERE o.relation = p_relation)
      USING ERRCODE = 'feature_not_supported', HINT = 'Have the triggers notify in an AFTER trigger.';
  END IF;
END $$;
