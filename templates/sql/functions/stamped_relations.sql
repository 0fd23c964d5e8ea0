-- The relations that stage.table_stamp looks at, the table itself first: those on the other side of its foreign keys.
CREATE OR REPLACE FUNCTION stage.stamped_relations(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT to_jsonb(p_relation::bigint || ARRAY(
    SELECT DISTINCT t.tgconstrrelid::bigint FROM pg_trigger t
    -- guard: the plan with a stamp depends on the tables on the other side of foreign keys
    WHERE t.tgrelid = p_relation AND t.tgconstrrelid NOT IN (0, p_relation) ORDER BY 1))
$$;
