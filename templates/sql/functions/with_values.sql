-- Returns a part of a client's statement, which is given as texts and numbers of parameters: values replace the numbers.
CREATE OR REPLACE FUNCTION stage.with_values(p_pieces jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_arguments pg_catalog.text[] := stage.setting('stage.arguments')::pg_catalog.text[];
  v_types pg_catalog.oid[] := stage.setting('stage.argument_types')::pg_catalog.oid[];
BEGIN
  RETURN (
    SELECT pg_catalog.string_agg(CASE
        WHEN pg_catalog.jsonb_typeof(p.piece) OPERATOR(pg_catalog.=) 'number' THEN pg_catalog.format('(%L::%s)', v_arguments[n.number], pg_catalog.format_type(v_types[n.number], -1))
        ELSE p.piece OPERATOR(pg_catalog.#>>) '{}' END, '' ORDER BY p.position)
    FROM pg_catalog.jsonb_array_elements(p_pieces) WITH ORDINALITY p(piece, position),
      LATERAL (SELECT CASE WHEN pg_catalog.jsonb_typeof(p.piece) OPERATOR(pg_catalog.=) 'number' THEN p.piece::pg_catalog.int4 END) n(number));
END $$;
