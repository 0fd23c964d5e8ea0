-- Returns the rows of a table that only triggers wrote while staging, and that this transaction has not written: production's triggers did
-- something else at approval. Each has production's row, NULL if there is none. Rows that triggers insert under keys that approval draws anew
-- are left out: nothing tells which row of production is the same.
CREATE OR REPLACE FUNCTION stage.missing_effects(p_session uuid, p_relation oid) RETURNS TABLE (root bigint, landed jsonb)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $$
DECLARE
  v_columns text;
  v_key text;
  v_match text;
  v_is_drawn boolean;
  v_is_new boolean;
BEGIN
  SELECT string_agg(format('n.%I', a.attname), ', ' ORDER BY a.attnum) INTO v_columns
  FROM pg_attribute a WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped;
  SELECT string_agg(format('p.%1$I %2$s n.%1$I', k.value ->> 'name', k.value ->> 'equals'), ' AND '), min(format('p.%I', k.value ->> 'name'))
  INTO v_match, v_key FROM jsonb_array_elements(stage.table_key(p_relation) -> 'key') k;
  WITH RECURSIVE kinds AS MATERIALIZED (
    SELECT DISTINCT e.relation, e.cause_relation, e.trigger FROM stage.effect e WHERE e.session = p_session
  ), drawn AS (
    SELECT k.relation FROM kinds k WHERE EXISTS (SELECT FROM stage.drawn_columns(k.relation, k.cause_relation, k.trigger))
    UNION
    -- a trigger may hand on the key of a row that another one inserted
    SELECT k.relation FROM drawn d JOIN kinds k ON k.cause_relation = d.relation
  )
  SELECT p_relation IN (SELECT d.relation FROM drawn d) INTO v_is_drawn;
  IF v_is_drawn THEN
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM stage_data.shadow_%s s WHERE s._stage_session = $1 AND s._stage_first)', p_relation)
    INTO v_is_new USING p_session;
    IF v_is_new THEN RETURN; END IF;
  END IF;
  RETURN QUERY EXECUTE format($q$
    WITH newest AS MATERIALIZED (
      SELECT DISTINCT ON (r.root) r.root AS _stage_lineage, s.* FROM stage.effect_roots($1, %1$s) r (root)
      JOIN stage_data.shadow_%1$s s ON s._stage_session = $1 AND coalesce(s._stage_root, s._stage_seq) = r.root AND s._stage_origin::text <> 'overlay'
      ORDER BY r.root, s._stage_seq DESC)
    SELECT n._stage_lineage, CASE WHEN %4$s IS NOT NULL THEN stage.row_image(p.*) END
    FROM newest n JOIN stage_data.shadow_%1$s f ON f._stage_session = $1 AND f._stage_seq = n._stage_lineage
    LEFT JOIN ONLY %2$s p ON %3$s
    WHERE CASE
      WHEN n._stage_op = 'D' THEN f._stage_first AND %4$s IS NOT NULL AND NOT stage.is_since(p.xmin, $2)
      WHEN %4$s IS NULL THEN f._stage_first OR NOT $3
      ELSE f._stage_first AND NOT stage.is_since(p.xmin, $2) AND NOT ROW(%5$s)::stage_data.row_%1$s *= f._stage_base END
  $q$, p_relation, p_relation::regclass, v_match, v_key, v_columns)
  USING p_session, pg_current_xact_id()::xid::text::bigint, v_is_drawn;
END $$;
REVOKE ALL ON FUNCTION stage.missing_effects(uuid, oid) FROM PUBLIC;
