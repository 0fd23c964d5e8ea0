  -- filled in src/overlay/rows/merge.ts, once for each operation
  CREATE TRIGGER allow_{{operation}} BEFORE {{operation}} ON pg_temp.{{target}} FOR EACH STATEMENT
  WHEN (current_setting('stage.merge_{{oid}}') = 'on') EXECUTE FUNCTION stage.demand_rights('{{named}}');
  CREATE TRIGGER before_{{operation}} BEFORE {{operation}} ON pg_temp.{{target}} FOR EACH STATEMENT
  WHEN (current_setting('stage.merge_{{oid}}') = 'on') EXECUTE FUNCTION stage.before_statement('{{key}}');
{{first_trigger}}  CREATE TRIGGER stage_{{operation}} BEFORE {{operation}} ON pg_temp.{{target}} FOR EACH ROW
  WHEN (current_setting('stage.merge_{{oid}}') = 'on') EXECUTE FUNCTION {{function}}('{{key}}');
  CREATE TRIGGER after_{{operation}} AFTER {{operation}} ON pg_temp.{{target}} FOR EACH STATEMENT
  WHEN (current_setting('stage.merge_{{oid}}') = 'on') EXECUTE FUNCTION {{after_function}}();
{{after_triggers}}