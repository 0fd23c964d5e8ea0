-- Fails where the copies of a table's triggers, fired for the action of a foreign key, could read or call what the owner of the table may
-- not. The uses include the tables that functions of users read. PostgreSQL runs an action, with its triggers, with the rights of that
-- owner, but here it runs with those of the service. For a client's own statement, which runs with the client's rights, this does nothing.
CREATE OR REPLACE FUNCTION stage.demand_owner_reads(p_relation oid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table record;
  v_name text;
BEGIN
  SELECT r.rolname AS owner, o.shown_name, o.trigger_uses AS uses, o.trigger_path || 'pg_catalog'::regnamespace::oid AS path INTO v_table
  FROM stage.overlay o JOIN pg_class c ON c.oid = o.relation JOIN pg_roles r ON r.oid = c.relowner
  WHERE o.relation = p_relation AND NOT r.rolsuper AND r.rolname <> current_user
    AND current_user = (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n WHERE n.nspname = 'stage');
  IF NOT FOUND THEN RETURN; END IF;
  -- the rights of a role that is named are checked when its code runs
  SELECT n.name ->> 'name' INTO v_name
  FROM jsonb_array_elements(v_table.uses -> 'relations') n(name)
  -- guard: triggers of an action read nothing that the owner of the table may not
  WHERE NOT n.name ? 'role' AND stage.can_read(v_table.owner, stage.relation_in(n.name, v_table.path)) IS NOT TRUE LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'permission denied for table %', v_name USING ERRCODE = 'insufficient_privilege',
      HINT = format('A trigger of %s reads it for the action of a foreign key, with the rights of the owner %s, who may not read all of it.',
        v_table.shown_name, v_table.owner);
  END IF;
  SELECT n.name ->> 'name' INTO v_name
  FROM jsonb_array_elements(v_table.uses -> 'written') n(name)
  -- guard: triggers of an action write nothing that the owner of the table may not
  WHERE NOT n.name ? 'role' AND has_table_privilege(v_table.owner, stage.relation_in(n.name, v_table.path), n.name ->> 'operation') IS NOT TRUE LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION 'permission denied for table %', v_name USING ERRCODE = 'insufficient_privilege'; END IF;
  SELECT s.name INTO v_name
  FROM jsonb_array_elements_text(coalesce(v_table.uses -> 'sequences', '[]')) s(name) CROSS JOIN LATERAL parse_ident(s.name) i(parts)
  -- guard: triggers of an action draw from no sequence that the owner of the table may not
  WHERE has_sequence_privilege(v_table.owner, stage.relation_in(jsonb_build_object('schema', i.parts[cardinality(i.parts) - 1],
    'name', i.parts[cardinality(i.parts)]), v_table.path), 'USAGE, UPDATE') IS NOT TRUE LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION 'permission denied for sequence %', v_name USING ERRCODE = 'insufficient_privilege'; END IF;
  SELECT p.proname INTO v_name
  FROM jsonb_array_elements(v_table.uses -> 'functions') n(name) CROSS JOIN LATERAL stage.functions_named(n.name, v_table.path) p
  -- guard: triggers of an action call nothing that the owner of the table may not
  WHERE NOT n.name ? 'role' AND p.prorettype <> 'trigger'::regtype AND NOT has_function_privilege(v_table.owner, p.oid, 'EXECUTE') LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION 'permission denied for function %', v_name USING ERRCODE = 'insufficient_privilege'; END IF;
END $$;
