-- Returns why the triggers of a table that run with their owners' rights do not fire in a session, as the end of "trigger ..."; NULL if they
-- do. In production a client without the right to write could not have them fire.
CREATE OR REPLACE FUNCTION stage.unfired_as_owner(p_session uuid, p_relation oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'runs with its owner''s rights, and the session has rows of ' || c.relname || ' that the client could not write'
  FROM stage.overlay o
  CROSS JOIN LATERAL (SELECT
    -- what the owners use has their role
    ARRAY(SELECT stage.relation_in(n.name, o.trigger_path) FROM jsonb_array_elements((o.trigger_uses -> 'relations') || (o.trigger_uses -> 'written')) n(name) WHERE n.name ? 'role'),
    ARRAY(SELECT stage.relation_in(n.name, o.trigger_path) FROM jsonb_array_elements(o.trigger_uses -> 'written') n(name) WHERE n.name ? 'role')) u(relations, written)
  CROSS JOIN LATERAL (SELECT CASE
    -- guard: no trigger fires with its owner's rights for a client without the right to write
    WHEN EXISTS (SELECT FROM stage.staged_table t WHERE t.session = p_session AND t.relation = p_relation AND NOT t.by_right) THEN o.shown_name
    -- guard: a trigger with its owner's rights reads no rows that a client could not write
    ELSE stage.rows_beyond_right(p_session, array_remove(u.relations, p_relation), u.written)::text END) c(relname)
  WHERE o.relation = p_relation
$$;
REVOKE ALL ON FUNCTION stage.unfired_as_owner(uuid, oid) FROM PUBLIC;
