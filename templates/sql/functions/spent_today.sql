-- Returns the rows that a person has proposed today, by the clock of a time zone, in other sessions: each with its largest proposal of the
-- day.
-- p_projects: those whose sessions count; null: all.
CREATE OR REPLACE FUNCTION stage.spent_today(p_person text, p_session uuid, p_zone text, p_projects jsonb) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(sum(s.most), 0)::bigint
  FROM (
    SELECT max(p.row_count) AS most FROM stage.proposed_rows p
    WHERE p.person = p_person AND p.session <> p_session AND p.at >= date_trunc('day', clock_timestamp() AT TIME ZONE p_zone) AT TIME ZONE p_zone
      AND (p_projects IS NULL OR p_projects ? p.project_id)
    GROUP BY p.session
  ) s
$$;
REVOKE ALL ON FUNCTION stage.spent_today(text, uuid, text, jsonb) FROM PUBLIC;
