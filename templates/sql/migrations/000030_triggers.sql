-- What a client has given of a row stands beside what triggers made of it: approval hands production the former, whose own triggers do
-- the rest. And what is known of a table's triggers: which of them fire while staging, why others do not, and what that was read from.
ALTER TABLE stage.overlay
  ADD COLUMN IF NOT EXISTS triggers jsonb NOT NULL DEFAULT '[]',  -- [{"name", "obstacle"}], by name; without an obstacle they fire
  ADD COLUMN IF NOT EXISTS trigger_uses jsonb,                    -- as in stage.staged_function; null for a table without triggers
  ADD COLUMN IF NOT EXISTS trigger_path oid[],
  ADD COLUMN IF NOT EXISTS trigger_stamp text;

-- What was staged of a row that production's triggers made another one: {column: value}. Part of the canonical text.
ALTER TABLE stage.audit ADD COLUMN IF NOT EXISTS staged jsonb;

DO $$
DECLARE
  v_shadow record;
BEGIN
  FOR v_shadow IN
    -- a partition gets its columns from what it is a partition of
    SELECT coalesce(pg_partition_root(c.oid), c.oid::regclass) AS name, t.oid::regtype AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = '_stage_base' JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relnamespace = to_regnamespace('stage_data') AND c.relkind = 'r'
  LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS _stage_given %s', v_shadow.name, v_shadow.type);
  END LOOP;
END $$;
