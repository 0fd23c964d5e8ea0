-- The catalog's entries about the service's schemas, a line for each object; OIDs of this database remain in names.
WITH space AS (
  SELECT n.oid, n.nspname AS name, n.nspowner, n.nspacl FROM pg_namespace n
  WHERE n.nspname IN ('stage', 'stage_data') OR n.nspname ~ '^stage_(overlay|upsert|load)_\d+$'
), relation AS (
  SELECT c.*, s.name || '.' || c.relname AS name FROM pg_class c JOIN space s ON s.oid = c.relnamespace
), line AS (
  SELECT format('schema %s %s', s.name, s.nspowner::regrole) AS text, coalesce(s.nspacl, acldefault('n', s.nspowner)) AS acl FROM space s
  UNION ALL
  SELECT format('relation %s %s %s %s %s %s', r.name, r.relkind, r.relpersistence, r.relowner::regrole, r.reloptions, r.relispartition),
    coalesce(r.relacl, acldefault((CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END)::"char", r.relowner))
  FROM relation r WHERE r.relkind NOT IN ('i', 'I', 'c')
  UNION ALL
  SELECT format('column %s.%s %s not null %s, default %s, %s%s %s', r.name, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attcollation::regcollation), a.attacl
  FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
  WHERE r.relkind NOT IN ('i', 'I')
  UNION ALL
  SELECT format('constraint %s of %s %s: %s', c.conname, r.name, t.typname, pg_get_constraintdef(c.oid)), NULL
  FROM pg_constraint c JOIN space s ON s.oid = c.connamespace LEFT JOIN relation r ON r.oid = c.conrelid LEFT JOIN pg_type t ON t.oid = c.contypid
  UNION ALL
  SELECT format('index %s', pg_get_indexdef(r.oid)), NULL FROM relation r WHERE r.relkind IN ('i', 'I')
  UNION ALL
  SELECT format('trigger %s %s', t.tgenabled, pg_get_triggerdef(t.oid)), NULL
  FROM pg_trigger t JOIN relation r ON r.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL
  SELECT format('rule %s of %s: %s', w.rulename, r.name, pg_get_ruledef(w.oid)), NULL
  FROM pg_rewrite w JOIN relation r ON r.oid = w.ev_class
  UNION ALL
  SELECT format('routine %s %s: %s', p.oid::regprocedure, p.proowner::regrole, pg_get_functiondef(p.oid)), coalesce(p.proacl, acldefault('f', p.proowner))
  FROM pg_proc p JOIN space s ON s.oid = p.pronamespace WHERE p.prokind <> 'a'
  UNION ALL
  SELECT format('aggregate %s %s %s', p.oid::regprocedure, p.proowner::regrole, a.aggtransfn), coalesce(p.proacl, acldefault('f', p.proowner))
  FROM pg_proc p JOIN space s ON s.oid = p.pronamespace JOIN pg_aggregate a ON a.aggfnoid = p.oid
  UNION ALL
  SELECT format('type %s.%s %s of %s not null %s: %s', s.name, t.typname, t.typtype, t.typbasetype::regtype, t.typnotnull,
    (SELECT string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid)), coalesce(t.typacl, acldefault('T', t.typowner))
  FROM pg_type t JOIN space s ON s.oid = t.typnamespace WHERE t.typcategory <> 'A'
  UNION ALL
  SELECT format('operator %s %s', o.oid::regoperator, o.oprcode), NULL FROM pg_operator o JOIN space s ON s.oid = o.oprnamespace
  UNION ALL
  SELECT format('migration %s %s', m.name, m.hash), NULL FROM stage.migration m
  UNION ALL
  SELECT format('function %s %s', f.name, f.hash), NULL FROM stage.function f
)
SELECT l.text || ' ' || coalesce((SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(l.acl) a), '') AS line FROM line l
