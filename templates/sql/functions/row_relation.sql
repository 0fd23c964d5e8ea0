-- Returns the table, view or other relation whose rows have a type; NULL for other types, composite types of CREATE TYPE among them.
CREATE OR REPLACE FUNCTION stage.row_relation(p_type oid) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.oid FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid WHERE t.oid = p_type AND t.oid >= 16384 AND c.relkind <> 'c'
$$;
