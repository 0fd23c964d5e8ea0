-- the row before the staged update s; filled in src/overlay/row-before.ts
        coalesce(s._stage_base,
          (SELECT ROW({{columns}})::{{row_type}} FROM {{shadow}} v
           WHERE v._stage_root OPERATOR(pg_catalog.=) s._stage_root AND v._stage_seq OPERATOR(pg_catalog.<) s._stage_seq
             AND v._stage_origin OPERATOR(pg_catalog.<>) 'overlay'::stage.row_origin ORDER BY v._stage_seq DESC LIMIT 1),
          (SELECT ROW({{columns}})::{{row_type}} FROM {{shadow}} v
           WHERE v._stage_session OPERATOR(pg_catalog.=) s._stage_session AND v._stage_seq OPERATOR(pg_catalog.=) s._stage_root))
