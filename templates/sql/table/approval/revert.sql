-- Functions that revert changes which an approval applied to this table.
-- Filled in src/overlay/approval/revert.ts: `entries` selects the audit entries to revert; n is the row that the approval left, r the row
-- to restore, o the overlay's row, p production's.

-- Returns the row whose image the audit has, with the exact texts of the values that the image does not show.
CREATE FUNCTION {{restored}}(jsonb, jsonb) RETURNS {{row_type}}
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS {{restored_body}};

-- Returns the state in which an approval left each row, and production's present row, if the two differ. One row for each column that
-- differs; the column is NULL if the row is gone, if a deleted row exists again, or if only exact texts differ.
CREATE FUNCTION {{moved}}(p_session uuid, p_audited oid)
RETURNS TABLE (lineage bigint, kind text, row_id jsonb, field text, session_base jsonb, session_new jsonb, production_current jsonb, deletes boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $body$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH last AS MATERIALIZED (
    SELECT DISTINCT ON (a.lineage) a.lineage, a.operation, coalesce(a.new_data, a.old_data) AS image,
      CASE WHEN a.operation = 'DELETE' THEN a.texts -> 'old_data' ELSE a.texts -> 'new_data' END AS texts
    FROM stage.audit a WHERE a.session = p_session AND a.relation = p_audited ORDER BY a.lineage, a."position" DESC
  ), first AS MATERIALIZED (
    SELECT DISTINCT ON (a.lineage) a.lineage, a.old_data AS image
    FROM stage.audit a WHERE a.session = p_session AND a.relation = p_audited ORDER BY a.lineage, a."position"
  ), known AS MATERIALIZED (
    SELECT l.*, {{restored}}(l.image, l.texts) AS n, {{l_key}} AS key FROM last l
  ), compared AS MATERIALIZED (
    SELECT k.*, f.image AS earlier, p.image IS DISTINCT FROM NULL AS is_there, {{row_image}}(p.image) AS current, {{current_texts}} AS current_texts
    FROM known k JOIN first f ON f.lineage = k.lineage
    LEFT JOIN LATERAL (SELECT ROW({{p_columns}})::{{row_type}} AS image FROM {{source}} p WHERE {{p_matches_n}} OFFSET 0) p ON true
    CROSS JOIN LATERAL (SELECT (p.image).*) i
  )
  SELECT c.lineage, CASE WHEN c.operation = 'DELETE' THEN 'key_exists' WHEN c.is_there THEN 'changed' ELSE 'gone' END, {{n_row_id}}, d.field,
    CASE WHEN c.operation <> 'DELETE' THEN CASE WHEN d.field IS NULL THEN c.image ELSE c.image -> d.field END END,
    CASE WHEN d.field IS NULL THEN c.earlier ELSE c.earlier -> d.field END,
    CASE WHEN d.field IS NULL THEN CASE WHEN c.is_there THEN c.current END ELSE c.current -> d.field END,
    c.earlier IS NULL
  FROM compared c
  LEFT JOIN (SELECT DISTINCT k.key FROM known k WHERE k.operation <> 'DELETE') t ON t.key = c.key AND c.operation = 'DELETE'
  LEFT JOIN LATERAL (
    SELECT v.field FROM jsonb_object_keys(c.image) AS v (field)
    WHERE c.operation <> 'DELETE' AND c.is_there AND (c.current -> v.field)::text IS DISTINCT FROM (c.image -> v.field)::text
  ) d ON true
  WHERE CASE WHEN c.operation = 'DELETE' THEN c.is_there AND t.key IS NULL
             ELSE NOT c.is_there OR c.current::text IS DISTINCT FROM c.image::text OR c.current_texts IS DISTINCT FROM c.texts END
  ORDER BY c.lineage, d.field;
END $body$;

-- Reverts, in the connection's session, changes of one kind that an approval applied between two positions of the audit, as one statement.
-- Skips rows that the action of a foreign key has reverted already.
CREATE FUNCTION {{undo}}(p_session uuid, p_audited oid, p_operation text, p_first bigint, p_last bigint, p_skipped bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
#variable_conflict use_column
BEGIN
  IF p_operation = 'INSERT' THEN
    DELETE FROM {{overlay}} o USING (SELECT {{restored}}(a.new_data, a.texts -> 'new_data') AS n FROM stage.audit a WHERE {{entries}} OFFSET 0) x
    WHERE {{o_matches_n}};
  ELSIF p_operation = 'UPDATE' THEN
    UPDATE {{overlay}} o SET {{assignments}}
    FROM (SELECT {{restored}}(a.new_data, a.texts -> 'new_data') AS n, {{restored}}(a.old_data, a.texts -> 'old_data') AS r
          FROM stage.audit a WHERE {{entries}} OFFSET 0) x
    CROSS JOIN LATERAL (SELECT (x.r).*) r
    WHERE {{o_matches_n}} AND NOT (ROW({{o_columns}})::{{row_type}} *= x.r);
  ELSE
    INSERT INTO {{overlay}} ({{written_columns}})
    SELECT {{restored_columns}} FROM (
      SELECT {{restored}}(a.old_data, a.texts -> 'old_data') AS r FROM stage.audit a WHERE {{entries}} ORDER BY a."position" DESC OFFSET 0) x
    CROSS JOIN LATERAL (SELECT (x.r).*) r;
  END IF;
END $body$;

REVOKE ALL ON FUNCTION {{restored}}(jsonb, jsonb), {{moved}}(uuid, oid), {{undo}}(uuid, oid, text, bigint, bigint, bigint[]) FROM PUBLIC;
