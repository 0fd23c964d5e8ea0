-- Lineages: all versions of one staged row. They are unstaged, or moved to another session, as a whole, with the lineages that could not be
-- applied without them.
-- Filled in src/overlay/approval/lineages.ts: `newest_version` is newest_version.sql, `dependents_by_reason` the files dependents_*.sql,
-- `shared_uniques` the file shared_unique.sql, and `shared_foreign_keys` the file shared_foreign_key.sql, each filled.

-- Returns each lineage of a session in this table: the number of its first version, its net operation, which is NULL if no change is left,
-- its key as diffs show it, and whether it began as a row of the session's own.
CREATE FUNCTION {{lineages}}(p_session uuid) RETURNS TABLE (root bigint, operation text, row_id jsonb, is_own boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  -- no column of the table has a name that begins with _stage_
  SELECT _stage_f._stage_seq,
    CASE WHEN h.op = 'D' THEN CASE WHEN _stage_f._stage_first THEN 'DELETE' END
         WHEN NOT _stage_f._stage_first THEN 'INSERT'
         WHEN NOT (h.version *= _stage_f._stage_base) THEN 'UPDATE' END,
    CASE WHEN _stage_f._stage_first THEN {{f_row_id}} ELSE {{h_row_id}} END,
    NOT _stage_f._stage_first
  FROM {{newest_version}}
  WHERE _stage_f._stage_session = p_session AND _stage_f._stage_root IS NULL AND _stage_f._stage_origin <> 'overlay'
  ORDER BY _stage_f._stage_seq;
END $body$;

-- Returns the lineages that could not be applied without the chosen ones because of this table or a foreign key to it, each with the chosen
-- one that it depends on. The needs of every version of a row count: approval goes through all of them.
CREATE FUNCTION {{dependents}}(p_session uuid, p_relations oid[], p_roots bigint[])
RETURNS TABLE (relation oid, root bigint, on_relation oid, on_root bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
{{dependents_by_reason}}
END $body$;

-- Returns the lineages of this table that had a unique value of a chosen one at another time, each with that one. Both can be unstaged
-- alone, as their statements ran one after the other. But approvals of both, one after the other, run them in another order.
CREATE FUNCTION {{shared}}(p_session uuid, p_relations oid[], p_roots bigint[])
RETURNS TABLE (relation oid, root bigint, on_relation oid, on_root bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
{{shared_uniques}}
END $body$;

-- Returns pairs of lineages of which one referred for a while to a value that the other has left since, by a foreign key to this table.
CREATE FUNCTION {{referred}}(p_session uuid) RETURNS TABLE (relation oid, root bigint, on_relation oid, on_root bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
{{shared_foreign_keys}}
END $body$;

-- Unstages lineages. A version that one of theirs had covered under its key is the newest one again.
CREATE FUNCTION {{unstage}}(p_session uuid, p_roots bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  DELETE FROM {{shadow}} s USING unnest(p_roots) AS r (root)
  WHERE s._stage_session = p_session AND coalesce(s._stage_root, s._stage_seq) = r.root;
  -- guard: a covered version is the newest again once the covering one is unstaged
  UPDATE {{shadow}} s SET _stage_head = true
  FROM (
    SELECT DISTINCT ON ({{i_key}}) i._stage_seq AS seq FROM {{shadow}} i
    WHERE i._stage_session = p_session ORDER BY {{i_key}}, i._stage_seq DESC
  ) n
  WHERE s._stage_session = p_session AND s._stage_seq = n.seq AND NOT s._stage_head;
END $body$;

REVOKE ALL ON FUNCTION {{lineages}}(uuid), {{dependents}}(uuid, oid[], bigint[]), {{shared}}(uuid, oid[], bigint[]), {{referred}}(uuid),
  {{unstage}}(uuid, bigint[]) FROM PUBLIC;
