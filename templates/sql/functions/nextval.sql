-- Stands for nextval() in statements and copies of code, and notes the sequence for stage.lastval.
CREATE OR REPLACE FUNCTION stage.nextval(pg_catalog.regclass) RETURNS bigint
LANGUAGE plpgsql STRICT COST 1 AS $$
DECLARE
  v_number pg_catalog.int8 := pg_catalog.nextval($1);
  v_noted pg_catalog.int8 := pg_catalog.setval('stage.last_sequence', pg_catalog.int8($1::pg_catalog.oid));
BEGIN
  RETURN v_number;
END $$;
