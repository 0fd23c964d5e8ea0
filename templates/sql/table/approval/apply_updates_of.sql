    -- Triggers of production fire for updates of certain columns: only the columns that the statement named are set, and those that it
    -- changed. The named columns are unknown for actions, and for statements from before there were such triggers: the latter set all
    -- columns.
    -- Filled in src/overlay/approval/apply.ts: `row_before` is row_before.sql, `before` and `after` are apply_update.sql in two parts,
    -- filled with numbers of parameters.
    SELECT pg_catalog.array_agg(DISTINCT c.name) INTO v_columns FROM (
      SELECT pg_catalog.jsonb_array_elements_text(m.columns) AS name FROM stage.mutation m
      WHERE m.session OPERATOR(pg_catalog.=) p_session AND m.id OPERATOR(pg_catalog.=) p_mutation
        AND m.relation OPERATOR(pg_catalog.=) {{oid}}::pg_catalog.oid AND p_origin OPERATOR(pg_catalog.=) 'client'::stage.row_origin
      UNION ALL
      SELECT u.name FROM {{shadow}} s
      CROSS JOIN LATERAL (SELECT ({{row_before}}).*) b
      CROSS JOIN LATERAL (SELECT (s._stage_given).*) g
      CROSS JOIN LATERAL pg_catalog.unnest(ARRAY[{{changed}}]) u(name)
      WHERE {{rows}} AND u.name IS NOT NULL) c;
    IF p_origin OPERATOR(pg_catalog.=) 'client'::stage.row_origin AND NOT EXISTS (
      SELECT FROM stage.mutation m
      WHERE m.session OPERATOR(pg_catalog.=) p_session AND m.id OPERATOR(pg_catalog.=) p_mutation AND m.columns IS NOT NULL)
    THEN
      v_columns := {{all}};
    END IF;
    FOR v_row IN EXECUTE pg_catalog.concat({{before}}, (
        -- guard: approval sets only the columns that the statement set
        SELECT coalesce(pg_catalog.string_agg(a.assignment, ', ') FILTER (WHERE a.name OPERATOR(pg_catalog.=) ANY (v_columns)), pg_catalog.string_agg(a.assignment, ', '))
        FROM (VALUES {{settable}}) a(name, assignment)), {{after}}, ' SELECT a.* FROM applied a ORDER BY a.seq')
      USING p_session, p_first, p_last, p_mutation, p_operation, p_origin
    LOOP
      lineage := v_row.lineage; row_id := v_row.row_id; row_key := v_row.row_key; old_data := v_row.old_data;
      new_data := v_row.new_data; v_texts := v_row.new_texts;
      IF NOT v_settled THEN
        SELECT {{row_image}}(p.*), {{p_texts}} INTO new_data, v_texts FROM {{production}} p WHERE {{p_matches_row}};
      END IF;
      texts := stage.texts_of_rows('old_data', v_row.old_texts, 'new_data', v_texts);
      staged := CASE WHEN v_row.made IS NOT NULL THEN stage.staged_unlike(v_row.made, v_row.base, old_data, new_data) END;
      IF new_data IS NOT NULL THEN RETURN NEXT; END IF;
    END LOOP;