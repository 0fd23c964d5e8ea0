-- Returns whether production's BEFORE triggers draw the key of a staged row at approval, which the client left to them: they write where they
-- draw it, such as the next number to a counter. They may do so only if they get no key, so it is not handed on. A key from a sequence, or
-- a random one, is: it would be another one. p_root: the lineage of the row.
CREATE OR REPLACE FUNCTION stage.draws_again(p_session uuid, p_relation oid, p_root bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM stage.effect e JOIN pg_trigger t ON t.tgrelid = e.cause_relation AND t.tgname = e.trigger
    WHERE e.session = p_session AND e.cause = p_root AND e.cause_relation = p_relation AND t.tgtype & 2 = 2)
  AND NOT EXISTS (
    SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgrelid = p_relation AND NOT t.tgisinternal AND t.tgtype & 7 = 7 AND stage.draws_values(p.prosrc))
  AND NOT EXISTS (
    -- what the triggers call
    SELECT FROM stage.overlay o CROSS JOIN jsonb_array_elements(o.trigger_uses -> 'functions') n (name)
    CROSS JOIN LATERAL stage.functions_named(n.name, o.trigger_path) f
    WHERE o.relation = p_relation AND stage.draws_values(stage.function_body(f)))
$$;
REVOKE ALL ON FUNCTION stage.draws_again(uuid, oid, bigint) FROM PUBLIC;
