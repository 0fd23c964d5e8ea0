-- Returns the mutations whose rows, beyond a _stage_seq, the running command must leave alone, because PostgreSQL changes no row twice in
-- one command: at the client's own level all mutations of its statement, in a foreign key's action those of the action.
CREATE OR REPLACE FUNCTION stage.touched(p_mutation bigint) RETURNS bigint[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE WHEN pg_catalog.pg_trigger_depth() OPERATOR(pg_catalog.>) 1 THEN ARRAY[p_mutation]
    ELSE pg_catalog.string_to_array(pg_catalog.current_setting('stage.mutations'), ',')::pg_catalog.int8[] END;
END $$;
