-- Returns whether staged rows of a relation are orphaned in the caller's session: rows of the table itself, of its children unless ONLY was
-- written, of the root of a partition, or of what a view reads.
DROP FUNCTION IF EXISTS stage.has_parked(oid);
CREATE OR REPLACE FUNCTION stage.has_parked(p_relation oid, p_only boolean) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_parked oid[] := ARRAY(SELECT p.relation FROM stage.parked_table p WHERE p.session = nullif(current_setting('stage.session', true), '')::uuid);
BEGIN
  IF v_parked = '{}' THEN RETURN false; END IF;
  RETURN EXISTS (
    WITH RECURSIVE behind (relation) AS (
      SELECT p_relation
      UNION
      SELECT b.relation FROM behind w CROSS JOIN LATERAL (
        SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = w.relation AND NOT (p_only AND w.relation = p_relation)
        UNION ALL SELECT stage.relations_behind(w.relation)) b (relation))
    SELECT FROM behind w WHERE w.relation = ANY (v_parked));
END $$;
