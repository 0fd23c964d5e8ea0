-- Returns whether a table, or that of an index, has the rows that are noted as those of event triggers (see stage.note_logged), and no
-- others, from the running transaction.
CREATE OR REPLACE FUNCTION stage.is_logged(p_relation oid, p_logged jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM pg_class c LEFT JOIN pg_index x ON x.indexrelid = c.oid
    CROSS JOIN LATERAL (SELECT coalesce(x.indrelid, c.oid)) t(relation)
    WHERE c.oid = p_relation AND (c.relkind IN ('r', 'p') OR x.indexrelid IS NOT NULL)
      -- guard: rows of others beside those of event triggers are found
      AND (p_logged ->> t.relation::text)::bigint = stage.rows_written(t.relation))
$$;
