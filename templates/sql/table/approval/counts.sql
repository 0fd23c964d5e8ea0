-- Returns how many net changes of each kind a session has in this table, and how many steps approval replays. All changes of a row by
-- actions of foreign keys in one statement are one step. Everything is counted, so rows are not looked up one by one as for a page: those
-- that were changed again are joined at once, and most were not. With OFFSET 0 each row's operation is computed once, not for each kind
-- that is counted.
-- Filled in src/overlay/approval/diff.ts: `f_columns` and `l_columns` are the table's columns in the first and in a later version.
CREATE FUNCTION {{function}}(p_session uuid, OUT inserts bigint, OUT updates bigint, OUT deletes bigint, OUT steps bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  WITH _stage_later AS MATERIALIZED (
    SELECT DISTINCT ON (_stage_l._stage_root) _stage_l._stage_root AS root, _stage_l._stage_op AS op, ROW({{l_columns}})::{{row_type}} AS version
    -- in this form the index on lineages does not match, which would lead through those of all sessions
    FROM {{shadow}} _stage_l WHERE _stage_l._stage_session = p_session AND coalesce(_stage_l._stage_root, 0) <> 0 AND _stage_l._stage_origin <> 'overlay'
    ORDER BY _stage_l._stage_root, _stage_l._stage_seq DESC
  )
  SELECT count(*) FILTER (WHERE c.operation = 'INSERT'), count(*) FILTER (WHERE c.operation = 'UPDATE'),
    count(*) FILTER (WHERE c.operation = 'DELETE'),
    count(*) FILTER (WHERE c.origin <> 'action') + count(DISTINCT (c.mutation, c.lineage)) FILTER (WHERE c.origin = 'action')
  INTO inserts, updates, deletes, steps
  FROM (
    SELECT _stage_f._stage_origin AS origin, _stage_f._stage_mutation AS mutation, coalesce(_stage_f._stage_root, _stage_f._stage_seq) AS lineage,
      CASE WHEN _stage_f._stage_root IS NOT NULL THEN NULL
           WHEN coalesce(h.op, _stage_f._stage_op) = 'D' THEN CASE WHEN _stage_f._stage_first THEN 'DELETE' END
           WHEN NOT _stage_f._stage_first THEN 'INSERT'
           WHEN NOT (CASE WHEN h.root IS NULL THEN ROW({{f_columns}})::{{row_type}} ELSE h.version END *= _stage_f._stage_base) THEN 'UPDATE' END AS operation
    FROM {{shadow}} _stage_f LEFT JOIN _stage_later h ON h.root = _stage_f._stage_seq
    WHERE _stage_f._stage_session = p_session AND _stage_f._stage_origin <> 'overlay' OFFSET 0
  ) c;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid) FROM PUBLIC;
