-- filled in src/overlay/triggers/fire.ts: `calls` is fire_call.sql, filled for each trigger; `settle`
-- forgets the notifications for a row that is staged
{{declare}}BEGIN
{{calls}}
{{settle}}  RETURN {{row}};
END
