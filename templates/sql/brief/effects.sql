-- Returns how many rows of the table $2 triggers of production wrote while the rows of session $1 were staged, by trigger. $3 is whether
-- triggers of tables that a role of the session may not read are left out. Filled in src/review/brief/table-facts.ts: `shadow` is the
-- shadow table.
SELECT e.trigger, stage.shown_name(n.nspname, c.relname) AS "table", count(DISTINCT e.root) FILTER (WHERE s._stage_op = 'I') AS inserts,
  count(DISTINCT e.root) FILTER (WHERE s._stage_op = 'U') AS updates, count(DISTINCT e.root) FILTER (WHERE s._stage_op = 'D') AS deletes
FROM stage.effect e JOIN {{shadow}} s ON s._stage_session = e.session AND s._stage_seq = e.seq
JOIN pg_class c ON c.oid = e.cause_relation JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE e.session = $1 AND e.relation = $2
-- guard: triggers of hidden tables are not named
AND (NOT $3::boolean OR stage.is_readable($1, e.cause_relation))
GROUP BY e.trigger, n.nspname, c.relname ORDER BY "table", e.trigger
