-- filled in src/overlay/triggers/trigger-copy.ts: `label` is the name of the function, `body` its own block
<<{{label}}>>
DECLARE
  "new" {{new_row}};
  "old" {{old_row}};
  tg_name pg_catalog.name := {{name}};
  tg_when pg_catalog.text := {{timing}};
  tg_level pg_catalog.text := {{level}};
  tg_op pg_catalog.text := _stage_p_op;
  tg_relid pg_catalog.oid := {{oid}};
  tg_relname pg_catalog.name := {{table_name}};
  tg_table_name pg_catalog.name := {{table_name}};
  tg_table_schema pg_catalog.name := {{schema}};
  tg_nargs pg_catalog.int4 := {{argument_count}};
  tg_argv pg_catalog.text[] := {{arguments}};
BEGIN
{{body}}
  RAISE EXCEPTION 'control reached end of trigger procedure without RETURN' USING ERRCODE = '2F005';
END
