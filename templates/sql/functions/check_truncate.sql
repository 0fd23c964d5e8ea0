-- Raises PostgreSQL's error when a relation cannot be truncated, or not by the caller. A role that may write to the table at all needs the
-- TRUNCATE privilege; a role that may only read it stages for others to approve.
CREATE OR REPLACE FUNCTION stage.check_truncate(p_relation oid, p_only boolean) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_kind "char";
  v_name text;
BEGIN
  SELECT c.relkind, c.relname INTO v_kind, v_name FROM pg_class c WHERE c.oid = p_relation;
  IF v_kind NOT IN ('r', 'p') THEN
    RAISE EXCEPTION '"%" is not a table', v_name USING ERRCODE = 'wrong_object_type';
  ELSIF NOT has_table_privilege(p_relation, CASE
    WHEN has_table_privilege(p_relation, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(p_relation, 'INSERT, UPDATE')
    THEN 'TRUNCATE' ELSE 'SELECT' END)
  THEN
    RAISE EXCEPTION 'permission denied for table %', v_name USING ERRCODE = 'insufficient_privilege',
      HINT = 'TRUNCATE requires a privilege of its own; a DELETE of every row can be staged without it.';
  ELSIF p_only AND v_kind = 'p' THEN
    RAISE EXCEPTION 'cannot truncate only a partitioned table' USING ERRCODE = 'wrong_object_type',
      HINT = 'Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.';
  ELSIF row_security_active(p_relation) THEN
    RAISE EXCEPTION 'cannot stage TRUNCATE of "%", of which row-level security hides rows', v_name
      USING ERRCODE = 'feature_not_supported', HINT = 'Use DELETE, which deletes the rows that the role sees.';
  END IF;
END $$;
