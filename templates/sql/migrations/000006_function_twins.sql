-- One row for each function that sessions have called in reads of what is staged: all functions of one name in one schema, as they
-- are called under one search path. Their twins, which read overlays in the place of tables, are in the schema stage_function_<id>.
CREATE TABLE stage.function_twin (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace oid NOT NULL,
  name text NOT NULL,
  -- The schemas in which names were looked for, in order.
  path oid[] NOT NULL,
  -- What the bodies name, and those of the functions they call: {"relations": [{"schema", "name"}, ...], "functions": [...]}.
  uses jsonb NOT NULL DEFAULT '{}',
  -- stage.function_stamp when that was looked at.
  stamp text NOT NULL DEFAULT '',
  -- Why there are no twins, and the functions themselves are called; null where there are.
  obstacle text,
  UNIQUE (namespace, name, path)
);
GRANT SELECT ON stage.function_twin TO PUBLIC;
