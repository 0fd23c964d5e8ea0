    -- Filled in src/overlay/approval/apply.ts: `update` is apply_update.sql, filled.
    IF v_settled THEN
      RETURN QUERY
{{update}}
      SELECT a.lineage, a.row_id, a.row_key, a.old_data, a.new_data, stage.texts_of_rows('old_data', a.old_texts, 'new_data', a.new_texts),
        CASE WHEN a.made IS NOT NULL THEN stage.staged_unlike(a.made, a.base, a.old_data, a.new_data) END
      FROM applied a ORDER BY a.seq;
      RETURN;
    END IF;
    FOR v_row IN
{{update}}
      SELECT a.* FROM applied a ORDER BY a.seq
    LOOP
      lineage := v_row.lineage; row_id := v_row.row_id; row_key := v_row.row_key; old_data := v_row.old_data;
      SELECT {{row_image}}(p.*), {{p_texts}} INTO new_data, v_texts FROM {{production}} p WHERE {{p_matches_row}};
      texts := stage.texts_of_rows('old_data', v_row.old_texts, 'new_data', v_texts);
      staged := CASE WHEN v_row.made IS NOT NULL THEN stage.staged_unlike(v_row.made, v_row.base, old_data, new_data) END;
      IF new_data IS NOT NULL THEN RETURN NEXT; END IF;
    END LOOP;