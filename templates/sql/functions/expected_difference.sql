-- Returns why a value that triggers set is expected to differ between staging and approval: `time` or `random`, if the text of a
-- BEFORE trigger assigns such a value to the column; else NULL.
CREATE OR REPLACE FUNCTION stage.expected_difference(p_relation oid, p_column text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT max(CASE
      WHEN c.typcategory = 'D' AND x.value ~* '\m(now|(current|local)_?(date|time|timestamp)|(clock|statement|transaction)_timestamp)\M' THEN 'time'
      WHEN x.value ~* '\m(random|random_normal|gen_random_uuid|gen_random_bytes|uuidv[47]|uuid_generate_v\d\w*)\M' THEN 'random' END)
  FROM pg_trigger t CROSS JOIN LATERAL regexp_matches(coalesce(stage.trigger_body(t.oid), ''),
    concat('\mnew\s*\.\s*"?', regexp_replace(p_column, '(\W)', '\\\1', 'g'), '"?\s*:?=\s*([^;]*)'), 'gi') a(parts)
  CROSS JOIN LATERAL (SELECT a.parts[1] AS value) x
  CROSS JOIN LATERAL (
    SELECT y.typcategory FROM pg_attribute b JOIN pg_type y ON y.oid = b.atttypid WHERE b.attrelid = p_relation AND b.attname = p_column) c
  WHERE t.tgrelid = p_relation AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 3 = 3
$$;
REVOKE ALL ON FUNCTION stage.expected_difference(oid, text) FROM PUBLIC;
