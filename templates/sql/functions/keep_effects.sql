-- Attaches the triggers that record what triggers of production write to a table while rows are staged, and protect the rows that they
-- inserted from later changes. p_if_any: only where such rows are staged, or the text of a trigger's function names the table. They are
-- made with the shadow table then, because later they wait for all transactions that stage in it.
CREATE OR REPLACE FUNCTION stage.keep_effects(p_relation oid, p_if_any boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_shadow regclass := format('stage_data.shadow_%s', p_relation);
  v_name text := (SELECT lower(c.relname) FROM pg_class c WHERE c.oid = p_relation);
  v_own oid[] := ARRAY(SELECT n.oid FROM pg_namespace n WHERE stage.is_internal_schema(n.oid));
BEGIN
  IF p_if_any AND NOT EXISTS (SELECT FROM stage.effect e WHERE e.relation = p_relation) AND NOT EXISTS (
      SELECT FROM pg_class r JOIN pg_trigger t ON t.tgrelid = r.oid JOIN pg_proc p ON p.oid = t.tgfoid
      -- not the service's own, of which there are many
      WHERE r.relnamespace <> ALL (v_own) AND NOT t.tgisinternal AND p.pronamespace <> 'pg_catalog'::regnamespace
        AND strpos(lower(p.prosrc), v_name) > 0)
    OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = v_shadow AND t.tgname = 'keep_effect')
  THEN
    RETURN;
  END IF;
  EXECUTE format($q$
    CREATE TRIGGER note_effect AFTER INSERT ON %1$s FOR EACH ROW WHEN (NEW._stage_origin::text = 'trigger')
    EXECUTE FUNCTION stage.note_effect();
    CREATE TRIGGER keep_effect BEFORE UPDATE OF _stage_head ON %1$s FOR EACH ROW
    WHEN (OLD._stage_origin::text = 'trigger' AND OLD._stage_head AND NOT NEW._stage_head)
    EXECUTE FUNCTION stage.refuse_effect_change();
    -- also in a session that replicates
    ALTER TABLE %1$s ENABLE ALWAYS TRIGGER note_effect, ENABLE ALWAYS TRIGGER keep_effect
  $q$, v_shadow);
END $$;
REVOKE ALL ON FUNCTION stage.keep_effects(oid, boolean) FROM PUBLIC;
