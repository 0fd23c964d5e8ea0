-- BEFORE STATEMENT triggers, in the order of their names, check rights and open the mutation; INSTEAD OF stages row by row, AFTER STATEMENT
-- checks and logs.
-- Filled in src/overlay/rows/triggers.ts and src/overlay/inheritance/tree.ts: `overlay` is the view, `key` names table and operation, e.g.
-- 16402_u; `members` are further arguments of a table with children.
CREATE TRIGGER allow_{{operation}} BEFORE {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.demand_rights({{oid}});
CREATE TRIGGER before_{{operation}} BEFORE {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.before_statement('{{key}}'{{members}});
{{first_trigger}}CREATE TRIGGER stage_{{operation}} INSTEAD OF {{operation}} ON {{overlay}}
FOR EACH ROW EXECUTE FUNCTION {{row_function}}();
CREATE TRIGGER after_{{operation}} AFTER {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION {{after_function}}();
{{after_triggers}}