-- Applies staged rows of one mutation, operation and origin to production. Returns each row as it was and as it became, with the changes of
-- production's own triggers, in staging order, and beside it the staged values if triggers made another row of it at approval (see
-- stage.staged_unlike); raises any error of production. Created twice: `_row` for one staged row, always found by its number, and `_set`
-- for many. It has no search_path of its own: production's triggers need the one they always have. So everything is qualified, operators
-- and types too. Names of columns are never bare, because a table may have a column called p_session.
-- Filled in src/overlay/approval/apply.ts: `rows` selects the staged rows s; `staged` is the shadow table s, without a key joined with f,
-- which pairs it with rows of production; `settled` is whether rows need not be read again after RETURNING. p is production's row, o the
-- one before an update. `s_drawn` and `p_drawn` are the values that triggers draw again. `updates` is apply_updates.sql or, for a table with
-- triggers that fire for updates of certain columns, apply_updates_of.sql, filled.
CREATE FUNCTION {{function}}(
  p_session uuid, p_first bigint, p_last bigint, p_mutation bigint, p_operation "char", p_origin stage.row_origin
) RETURNS TABLE (lineage bigint, row_id text, row_key jsonb, old_data jsonb, new_data jsonb, texts jsonb, staged jsonb)
LANGUAGE plpgsql AS $body$
#variable_conflict use_variable
DECLARE
  v_row pg_catalog.record;
  v_staged pg_catalog.refcursor;
  v_texts pg_catalog.jsonb;
  v_made pg_catalog.jsonb;
  v_drawn pg_catalog.text;
  v_columns pg_catalog.text[];
  -- RETURNING comes before AFTER triggers: rows that these may alter are read again after them
  v_settled boolean := {{settled}};
BEGIN
  IF p_operation OPERATOR(pg_catalog.=) 'I' THEN
    -- RETURNING cannot name the staged row, but returns rows in the same order
    OPEN v_staged FOR SELECT coalesce(s._stage_root, s._stage_seq), {{made}}, {{s_drawn}}
      FROM {{shadow}} s CROSS JOIN LATERAL (SELECT (s._stage_given).*) g WHERE {{rows}} ORDER BY s._stage_seq;
    FOR v_row IN
      WITH applied AS (
        INSERT INTO {{table}} AS p ({{insert_columns}}) OVERRIDING SYSTEM VALUE
        SELECT {{insert_values}} FROM {{shadow}} s CROSS JOIN LATERAL (SELECT (s._stage_given).*) g WHERE {{rows}} ORDER BY s._stage_seq
        RETURNING {{p_row_id}} AS row_id, {{p_row_key}} AS row_key, {{row_image}}(p.*) AS new_data, {{p_texts}} AS new_texts, {{p_drawn}} AS drawn, {{p_key}}
      )
      SELECT a.* FROM applied a
    LOOP
      FETCH v_staged INTO lineage, v_made, v_drawn;
      -- guard: other rows of the session refer to the key under which a row was staged
      IF v_drawn OPERATOR(pg_catalog.<>) v_row.drawn THEN PERFORM stage.raise_drawn({{oid}}, v_drawn, v_row.drawn); END IF;
      row_id := v_row.row_id; row_key := v_row.row_key; new_data := v_row.new_data; v_texts := v_row.new_texts;
      IF NOT v_settled THEN
        SELECT {{row_image}}(p.*), {{p_texts}} INTO new_data, v_texts FROM {{production}} p WHERE {{p_matches_row}};
      END IF;
      texts := stage.texts_of_rows('old_data', NULL, 'new_data', v_texts);
      staged := CASE WHEN v_made IS NOT NULL THEN stage.staged_unlike(v_made, NULL, NULL, new_data) END;
      IF new_data IS NOT NULL THEN RETURN NEXT; END IF;
    END LOOP;
    CLOSE v_staged;
  ELSIF p_operation OPERATOR(pg_catalog.=) 'U' THEN
{{updates}}
  ELSE
    RETURN QUERY
    WITH applied AS (
      DELETE FROM {{production}} p USING {{staged}}
      WHERE {{rows}} AND {{p_matches_old}}
      RETURNING s._stage_seq AS seq, coalesce(s._stage_root, s._stage_seq) AS lineage,
        {{p_row_id}} AS row_id, {{p_row_key}} AS row_key, {{row_image}}(p.*) AS old_data,
        stage.texts_of_rows('old_data', {{p_texts}}, 'new_data', NULL) AS texts
    )
    SELECT a.lineage, a.row_id, a.row_key, a.old_data, NULL::pg_catalog.jsonb, a.texts, NULL::pg_catalog.jsonb FROM applied a ORDER BY a.seq;
  END IF;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid, bigint, bigint, bigint, "char", stage.row_origin) FROM PUBLIC;
