-- Pairs staged changes of rows without a key with rows of production that equal the rows they change: each with a different row.
-- Filled in src/overlay/rows/keyless.ts: `rows` selects the staged rows s, p is production's row, d what is known of a sought row.
CREATE FUNCTION {{function}}(
  p_session uuid, p_first bigint, p_last bigint, p_mutation bigint, p_operation "char", p_origin stage.row_origin
) RETURNS TABLE (seq bigint, place tid, relation oid)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  WITH staged AS (
    SELECT s._stage_seq, s._stage_old_1 AS image, row_number() OVER (PARTITION BY s._stage_old_1 ORDER BY s._stage_seq) AS copy
    FROM {{shadow}} s WHERE {{rows}}
  ), sought AS (
    SELECT DISTINCT ON (s._stage_old_1) s._stage_old_1 AS image,
      coalesce(s._stage_base, ROW({{s_columns}})::{{row_type}}) AS known
    FROM {{shadow}} s WHERE {{rows}} ORDER BY s._stage_old_1
  ), present AS (
    SELECT p.ctid, p.tableoid, d.image, row_number() OVER (PARTITION BY d.image ORDER BY p.tableoid, p.ctid) AS copy
    FROM sought d JOIN {{production}} p ON {{p_looks_like_d}}
  )
  SELECT s._stage_seq, p.ctid, p.tableoid FROM staged s JOIN present p ON p.image = s.image AND p.copy = s.copy;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid, bigint, bigint, bigint, "char", stage.row_origin) FROM PUBLIC;
