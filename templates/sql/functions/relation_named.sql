-- Returns the relation that {"schema": null | text, "name": text} names under the caller's search_path, or NULL. With a "role", it is one of
-- a function that runs with the rights of that role: the caller may not be allowed to use its schema.
CREATE OR REPLACE FUNCTION stage.relation_named(p_name jsonb) RETURNS oid
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_name OPERATOR(pg_catalog.?) 'role' THEN stage.relation_in(p_name, '{}') ELSE pg_catalog.to_regclass(pg_catalog.concat_ws('.',
    pg_catalog.quote_ident(p_name OPERATOR(pg_catalog.->>) 'schema'),
    pg_catalog.quote_ident(p_name OPERATOR(pg_catalog.->>) 'name')))::pg_catalog.oid END
$$;
