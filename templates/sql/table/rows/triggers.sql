-- BEFORE STATEMENT triggers, in the order of their names, demand rights and open the mutation; INSTEAD OF stages row by row,
-- AFTER STATEMENT judges and logs.
CREATE TRIGGER allow_{{operation}} BEFORE {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.demand_rights({{oid}});
CREATE TRIGGER before_{{operation}} BEFORE {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.before_statement('{{key}}');
CREATE TRIGGER stage_{{operation}} INSTEAD OF {{operation}} ON {{overlay}}
FOR EACH ROW EXECUTE FUNCTION {{row_function}}();
CREATE TRIGGER after_{{operation}} AFTER {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION {{after_function}}();
