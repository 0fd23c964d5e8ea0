-- Returns the mutations whose rows, beyond a _stage_seq, the running command must leave alone, as PostgreSQL changes no row twice in one:
-- at the client's own level all those of its statement, in a foreign key's action the action's own.
CREATE OR REPLACE FUNCTION stage.touched(p_mutation bigint) RETURNS bigint[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE WHEN pg_catalog.pg_trigger_depth() OPERATOR(pg_catalog.>) 1 THEN ARRAY[p_mutation]
    ELSE pg_catalog.string_to_array(pg_catalog.current_setting('stage.mutations'), ',')::pg_catalog.int8[] END;
END $$;
