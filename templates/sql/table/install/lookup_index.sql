-- An index for lookups, if it can be had at once. Values may be too long for it, or an expression not be defined for what is staged;
-- one of the row as a whole has no meaning outside of the table.
DO $body$
BEGIN
  LOCK TABLE {{shadow}} IN SHARE MODE NOWAIT;
  CREATE INDEX {{name}} {{definition}};
EXCEPTION WHEN lock_not_available OR program_limit_exceeded OR data_exception OR syntax_error_or_access_rule_violation THEN
  NULL;
END $body$
