-- Returns which differences between a column's values the JSON of to_jsonb does not show, by the column's type; NULL if it distinguishes
-- values as PostgreSQL's own text does (see exactTexts in src/overlay/approval/exact-texts.ts).
CREATE OR REPLACE FUNCTION stage.exact_text_kind(p_type oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT CASE
      WHEN t.oid = 'jsonb'::regtype THEN 'jsonb'
      WHEN t.oid IN ('float4'::regtype, 'float8'::regtype) THEN 'float'
      WHEN t.oid = 'xml'::regtype THEN 'xml'
      WHEN t.oid IN ('regproc'::regtype, 'regoper'::regtype) THEN 'object name'
      WHEN e.oid IN ('float4'::regtype, 'float8'::regtype) THEN 'float array'
      WHEN e.oid IS NOT NULL THEN CASE WHEN stage.exact_text_kind(e.oid) IS NULL THEN 'array' ELSE 'any' END
      -- composites may contain any type later; extensions have JSON casts of their own, which may round
      WHEN t.typtype = 'c' OR t.oid = 'json'::regtype OR stage.has_json_cast(t.oid) THEN 'any'
    END
    FROM pg_type t
    LEFT JOIN pg_type e ON e.oid = (stage.base_type(t.typelem, -1)).type AND t.typsubscript = 'array_subscript_handler'::regproc
    WHERE t.oid = (stage.base_type(p_type, -1)).type
  );
END $$;
