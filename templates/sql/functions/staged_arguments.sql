-- Returns the arguments of a function as those of its staged function, for CREATE FUNCTION; p_types_only: for ALTER FUNCTION. Rows of relations
-- have types of the service there.
CREATE OR REPLACE FUNCTION stage.staged_arguments(p_function pg_catalog.pg_proc, p_types_only boolean) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(string_agg(CASE WHEN p_types_only THEN t.name ELSE
      concat_ws(' ', CASE a.mode WHEN 'o' THEN 'OUT' WHEN 'b' THEN 'INOUT' WHEN 'v' THEN 'VARIADIC' END, quote_ident(nullif(a.name, '')), t.name,
        'DEFAULT ' || pg_get_function_arg_default(p_function.oid, a.place::int)) END, ', ' ORDER BY a.place), '')
  FROM unnest(coalesce(p_function.proallargtypes, p_function.proargtypes::oid[]), p_function.proargmodes, p_function.proargnames)
    WITH ORDINALITY a(type, mode, name, place)
  CROSS JOIN LATERAL stage.row_relation(a.type) r(relation)
  CROSS JOIN LATERAL (SELECT CASE WHEN r.relation IS NULL THEN format_type(a.type, NULL) ELSE format('stage.row_value_%s', r.relation) END) t(name)
  WHERE a.mode IS NULL OR a.mode <> 't' AND NOT (p_types_only AND a.mode = 'o')
$$;
