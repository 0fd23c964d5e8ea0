-- Mutations whose rows, beyond a _stage_seq, the running command must leave alone, as PostgreSQL changes no row twice in one:
-- at the client's own level all those of its statement, in a foreign key's action the action's own.
CREATE OR REPLACE FUNCTION stage.touched(p_mutation bigint) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN pg_trigger_depth() > 1 THEN ARRAY[p_mutation]
              ELSE string_to_array(current_setting('stage.mutations'), ',')::bigint[] END
$$;
