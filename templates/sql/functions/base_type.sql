-- Returns the type that a column is stored as: a domain's base type with its modifier, any other type itself. NULL for no type.
-- The description of a table calls it many times: in PL/pgSQL without a SET clause a call costs a tenth of what it costs in SQL.
CREATE OR REPLACE FUNCTION stage.base_type(p_type oid, p_modifier int, OUT type oid, OUT modifier int)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_type pg_catalog.pg_type;
BEGIN
  type := p_type;
  modifier := p_modifier;
  LOOP
    SELECT t.* INTO v_type FROM pg_catalog.pg_type t WHERE t.oid OPERATOR(pg_catalog.=) base_type.type;
    EXIT WHEN v_type.typtype OPERATOR(pg_catalog.<>) 'd';
    type := v_type.typbasetype;
    modifier := v_type.typtypmod;
    EXIT WHEN type IS NULL;
  END LOOP;
END $$;
