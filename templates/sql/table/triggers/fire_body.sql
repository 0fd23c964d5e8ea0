-- filled in src/overlay/triggers/fire.ts: `calls` is fire_call.sql, filled for each trigger
{{declare}}BEGIN
{{calls}}
  RETURN {{row}};
END
