-- Notes the mode of constraints, which are given by the digests that end their triggers' names, and runs the deferred checks of those that
-- become immediate. Their triggers stay deferred nevertheless: while a constraint is immediate, each statement checks it, and nothing is
-- left for the triggers.
CREATE OR REPLACE FUNCTION stage.defer_constraints(p_triggers text[], p_all boolean, p_deferred boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_modes jsonb := coalesce(nullif(current_setting('stage.constraints', true), '')::jsonb, '{}');
  v_named jsonb := (SELECT coalesce(jsonb_object_agg(t.name, p_deferred), '{}') FROM unnest(p_triggers) t(name));
  v_list text;
BEGIN
  PERFORM set_config('stage.constraints',
    (CASE WHEN p_all THEN jsonb_build_object('all', p_deferred) ELSE v_modes || v_named END)::text, true);
  SELECT string_agg(DISTINCT format('stage_data.%I', t.tgname), ', ') INTO v_list
  FROM pg_trigger t
  WHERE t.tgname LIKE 'deferred\_%' AND t.tgrelid IN (SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'stage_data'::regnamespace)
    AND (p_all OR right(t.tgname, 32) = ANY (p_triggers));
  IF v_list IS NULL THEN RETURN; END IF;
  IF NOT p_deferred THEN EXECUTE format('SET CONSTRAINTS %s IMMEDIATE', v_list); END IF;
  EXECUTE format('SET CONSTRAINTS %s DEFERRED', v_list);
END $$;
