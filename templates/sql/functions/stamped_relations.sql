-- Returns the relations that stage.table_stamp reads, the table itself first: those on the other side of its foreign keys, partitions with
-- their partitioned tables, the sequences of its defaults and identity columns, and the relations that its expressions name. NULL if it
-- reads functions, operators or types of users: no plan depends on their names.
CREATE OR REPLACE FUNCTION stage.stamped_relations(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT to_jsonb(p_relation::bigint || ARRAY(
    SELECT DISTINCT o.relation::bigint FROM pg_trigger t CROSS JOIN LATERAL (VALUES (t.tgconstrrelid), (pg_partition_root(t.tgconstrrelid))) o (relation)
    -- guard: the plan with a stamp depends on the tables on the other side of foreign keys
    WHERE t.tgrelid = p_relation AND o.relation NOT IN (0, p_relation) ORDER BY 1)
    || ARRAY(SELECT DISTINCT u.object::bigint FROM stage.used_in_definition(p_relation) u WHERE u.catalog = 'pg_class'::regclass ORDER BY 1)
    || ARRAY(SELECT d.objid::bigint FROM pg_depend d
      WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = p_relation AND d.refobjsubid > 0 AND d.classid = 'pg_class'::regclass AND d.deptype = 'i' ORDER BY 1))
  -- guard: no plan remembers a stamp that depends on names of functions
  WHERE NOT EXISTS (SELECT FROM stage.used_in_definition(p_relation) u WHERE u.catalog <> 'pg_class'::regclass)
$$;
