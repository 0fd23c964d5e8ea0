-- Creates an index for lookups, if its lock is free. Values may be too long for it, or an expression not be defined for staged values; an
-- index of the row as a whole has no meaning outside of the table.
-- Filled in src/overlay/install/shadow-indexes.ts: `definition` is the index from ON on.
DO $body$
BEGIN
  LOCK TABLE {{shadow}} IN SHARE MODE NOWAIT;
  CREATE INDEX {{name}} {{definition}};
EXCEPTION WHEN lock_not_available OR program_limit_exceeded OR data_exception OR syntax_error_or_access_rule_violation THEN
  NULL;
END $body$
