-- Returns the error that production raised for runs of staged rows, as an approval reports it. p_context: the error's CONTEXT. It tells whether
-- code of users raised the error, with a SQLSTATE of their choice.
CREATE OR REPLACE FUNCTION stage.failure_of_runs(
  p_sqlstate text, p_message text, p_detail text, p_context text, p_table text, p_constraint text, p_session uuid, p_runs stage.apply_run[]
) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN jsonb_build_object('sqlstate', p_sqlstate, 'message', p_message, 'detail', nullif(p_detail, ''),
    -- the name of the statement is the same in all languages
    'raised', p_context ~ '^[^\n]*\mRAISE(\n|$)',
    'table', coalesce(nullif(p_table, ''), p_runs[1].table_name), 'constraint', nullif(p_constraint, ''),
    'row', CASE WHEN cardinality(p_runs) = 1 THEN stage.row_of_run(p_session, p_runs[1]) END,
    'key', (SELECT o.key_columns FROM stage.overlay o WHERE o.relation = p_runs[1].relation));
END $$;
REVOKE ALL ON FUNCTION stage.failure_of_runs(text, text, text, text, text, text, uuid, stage.apply_run[]) FROM PUBLIC;
