      -- only columns that this staged change altered are set: the others may have changed since, by a merge or a trigger
      -- filled in src/overlay/approval/apply.ts, with the values of apply.sql
      WITH applied AS (
        UPDATE {{production}} p SET {{assignments}}
        FROM {{staged}} JOIN {{production}} o ON {{o_matches_old}}
        -- expanded by a star: for each column that is named, the parser visits all columns of a composite value
        CROSS JOIN LATERAL (SELECT (s._stage_base).*) b CROSS JOIN LATERAL (SELECT (s._stage_given).*) g
        WHERE {{rows}} AND {{p_matches_o}}
        RETURNING s._stage_seq AS seq, coalesce(s._stage_root, s._stage_seq) AS lineage,
          {{o_row_id}} AS row_id, {{o_row_key}} AS row_key, {{row_image}}(o.*) AS old_data, {{row_image}}(p.*) AS new_data,
          {{o_texts}} AS old_texts, {{p_texts}} AS new_texts,
          {{made}} AS made, CASE WHEN s._stage_given IS DISTINCT FROM NULL THEN {{row_image}}(s._stage_base) END AS base, {{p_key}}
      )