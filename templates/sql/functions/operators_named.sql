-- Returns the texts of some operators, as an expression names them, as a JSON array in the same order. In PL/pgSQL, which keeps its plan,
-- and one by one: joined with a list of unknown length, all operators would be read for each foreign key.
CREATE OR REPLACE FUNCTION stage.operators_named(p_operators oid[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_operator oid;
  v_names jsonb := '[]';
BEGIN
  FOREACH v_operator IN ARRAY p_operators LOOP
    v_names := v_names || (
      SELECT to_jsonb(format('OPERATOR(%I.%s)', n.nspname, o.oprname))
      FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace WHERE o.oid = v_operator);
  END LOOP;
  RETURN v_names;
END $$;
