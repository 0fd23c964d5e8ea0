-- Returns the options of stage.begin_statement with a statement's parameters for its triggers: their texts, and the OIDs of their types.
CREATE OR REPLACE FUNCTION stage.with_arguments(p_options text, p_arguments text[], p_types oid[]) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT (p_options::pg_catalog.jsonb OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(
    'stage.arguments', p_arguments::pg_catalog.text, 'stage.argument_types', p_types::pg_catalog.text))::pg_catalog.text
$$;
