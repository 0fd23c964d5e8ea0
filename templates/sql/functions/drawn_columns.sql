-- Returns the columns of a table's key that a trigger may give another value at approval than while staging: a number of a sequence, or a
-- random value. p_cause and p_trigger: the table of the trigger that inserts, and its name. is_sure: the value comes from a default of the
-- column, not from the trigger's statement.
CREATE OR REPLACE FUNCTION stage.drawn_columns(p_relation oid, p_cause oid, p_trigger text) RETURNS TABLE (name name, is_sure boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.name, d.is_sure FROM (
    SELECT a.attname AS name,
      -- any other default than a constant
      (a.attidentity <> '' OR coalesce(f.adbin::text ~ '\{(FUNCEXPR|NEXTVALUEEXPR|SQLVALUEFUNCTION)', false)) AND NOT EXISTS (
        SELECT FROM stage.overlay o CROSS JOIN jsonb_array_elements(o.trigger_uses -> 'written') n (name)
        WHERE o.relation = p_cause AND n.name ->> 'operation' = 'INSERT' AND stage.relation_in(n.name, o.trigger_path) = p_relation
        -- a statement without a list of columns gives values by position
        HAVING bool_and(n.name -> 'given' @> to_jsonb(a.attname) OR n.name -> 'given' @> (
          SELECT to_jsonb(count(*)) FROM pg_attribute b WHERE b.attrelid = p_relation AND b.attnum BETWEEN 1 AND a.attnum - 1 AND NOT b.attisdropped))) AS is_sure,
      (stage.base_type(a.atttypid, a.atttypmod)).type = 'uuid'::regtype OR EXISTS (
        SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE t.tgrelid = p_cause AND t.tgname = p_trigger AND stage.draws_values(p.prosrc)) AS may_be
    FROM jsonb_array_elements(stage.table_key(p_relation) -> 'key') k
    JOIN pg_attribute a ON a.attrelid = p_relation AND a.attname = k ->> 'name'
    LEFT JOIN pg_attrdef f ON f.adrelid = p_relation AND f.adnum = a.attnum) d
  WHERE d.is_sure OR d.may_be
$$;
REVOKE ALL ON FUNCTION stage.drawn_columns(oid, oid, text) FROM PUBLIC;
