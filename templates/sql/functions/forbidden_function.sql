-- Returns a function that the generated columns, checks and partition keys of a table call and that the caller's role may not execute; NULL
-- if there is none. They are evaluated with the service account's rights.
CREATE OR REPLACE FUNCTION stage.forbidden_function(p_relation oid) RETURNS name
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_generated pg_catalog.oid[] := ARRAY(
    SELECT d.oid FROM pg_catalog.pg_attrdef d JOIN pg_catalog.pg_attribute a
      ON a.attrelid OPERATOR(pg_catalog.=) d.adrelid AND a.attnum OPERATOR(pg_catalog.=) d.adnum
    WHERE d.adrelid OPERATOR(pg_catalog.=) p_relation AND a.attgenerated OPERATOR(pg_catalog.<>) ''::pg_catalog."char");
  v_checks pg_catalog.oid[] := ARRAY(
    SELECT k.oid FROM pg_catalog.pg_constraint k
    WHERE k.conrelid OPERATOR(pg_catalog.=) p_relation AND k.contype OPERATOR(pg_catalog.=) 'c'::pg_catalog."char");
  -- PostgreSQL records what the expressions of a partition key call as dependencies of the table
  v_parted pg_catalog.oid[] := ARRAY(
    SELECT t.partrelid FROM pg_catalog.pg_partitioned_table t
    WHERE t.partexprs IS NOT NULL AND t.partrelid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT r.relid FROM pg_catalog.pg_partition_tree(p_relation) r)::pg_catalog.oid[]));
BEGIN
  -- planning the query takes longer than running it
  IF v_generated OPERATOR(pg_catalog.=) '{}' AND v_checks OPERATOR(pg_catalog.=) '{}' AND v_parted OPERATOR(pg_catalog.=) '{}' THEN RETURN NULL; END IF;
  RETURN (
    SELECT p.proname
    FROM (
      SELECT * FROM stage.referenced_functions('pg_attrdef', v_generated)
      UNION ALL SELECT * FROM stage.referenced_functions('pg_constraint', v_checks)
      UNION ALL SELECT * FROM stage.referenced_functions('pg_class', v_parted)
    ) f JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) f.function
    WHERE NOT pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
    LIMIT 1);
END $$;
