-- Returns the table of a mutation, from the OID under which it was logged.
CREATE OR REPLACE FUNCTION stage.relation_of_mutation(p_id bigint, p_relation oid) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.relation_now($2, (SELECT min(r.number) FROM stage.rebinding r WHERE r.last_mutation >= $1))
$$;
REVOKE ALL ON FUNCTION stage.relation_of_mutation(bigint, oid) FROM PUBLIC;
